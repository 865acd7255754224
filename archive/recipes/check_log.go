// Checks the log and all manifests with Go's sumdb packages: go run check_log.go ARCHIVE VKEY. VKEY is the log's key.
package main

import "crypto/sha256"
import "fmt"
import "log"
import "os"
import "strings"
import "golang.org/x/mod/sumdb/note"
import "golang.org/x/mod/sumdb/tlog"

func main() {
	key := must(note.NewVerifier(os.Args[2]))
	signed := must(note.Open(read("checkpoint"), note.VerifierList(key))).Text // FORMAT.md 16
	newest, hashes := map[string]string{}, []tlog.Hash{}
	reader := tlog.HashReaderFunc(func(indexes []int64) (found []tlog.Hash, err error) {
		for _, index := range indexes {
			found = append(found, hashes[index])
		}
		return
	})
	lines := strings.Fields(string(read("log"))) // FORMAT.md 15: a day and a hash on each line
	size := int64(len(lines) / 2)
	for n := int64(0); n < size; n++ {
		day, digest := lines[2*n], lines[2*n+1]
		leaf := []byte("daysignal-day-v1\n" + day + "\n" + digest + "\n")
		hashes, newest[day] = append(hashes, must(tlog.StoredHashes(n, leaf, reader))...), digest
	}
	if !strings.HasPrefix(signed, fmt.Sprintf("%s\n%d\n%s\n", key.Name(), size, must(tlog.TreeHash(size, reader)))) {
		log.Fatal("the log is not the one that was signed")
	}
	for day, digest := range newest {
		if sum := sha256.Sum256(read(day + "/" + day + ".manifest.json")); fmt.Sprintf("%x", sum) != digest {
			log.Fatal(day, ": the manifest is not its newest leaf")
		}
	}
	fmt.Println(size, "leaves,", len(newest), "days")
}

func read(name string) []byte { return must(os.ReadFile(os.Args[1] + "/" + name)) }

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
