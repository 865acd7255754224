// The keys of a log: their names, and which of them open a checkpoint.
// Rules: FORMAT.md 16.2-16.4.
import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkpointText, openCheckpoint } from '../../../archive/log/checkpoint.ts'
import { isKeyName, signNote, verifierOf } from '../../../archive/log/note.ts'
import { rootOf } from '../../../archive/log/tree.ts'

test('a checkpoint is opened only with keys named after its origin', () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const head = { origin: 'a.example/log', size: 0, root: rootOf([]) }
  const own = { name: head.origin, privateKey }
  const witness = { name: 'witness.example', privateKey }
  const known = [own, witness].map(({ name }) => verifierOf(name, privateKey))
  const open = (...signers: (typeof own)[]) =>
    openCheckpoint(Buffer.from(signNote(checkpointText(head), signers)), known)
  expect(open(witness, own)).toEqual({ ...head, verified: [known[0]] })
  expect(() => open(witness)).toThrow(expect.objectContaining({ code: 'unknown_signer' }))
})

test('the name of a key has no white space, control characters or plus signs', () => {
  const names = ['a.example/log', 'localhost:3000/transmissions', 'zürich.example']
  expect(names.map(isKeyName)).toEqual([true, true, true])
  const wrong = ['', 'a b', 'a\u00a0b', 'a\u2003b', 'a\tb', 'a\u0085b', 'a+b', 'a\u007fb', '\ud800']
  expect(wrong.filter(isKeyName)).toEqual([])
})
