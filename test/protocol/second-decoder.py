"""The "first decoder" of SPEC.md 9: decodes a clean 48 kHz recording without error correction.

Takes the path of a WAV file as encoders write it (SPEC.md 8.1), possibly with digital silence around the transmission;
prints the frame in hexadecimal digits, or an error code. The tables come from second-encoder.py next to it.
"""
import array
import cmath
import importlib.util
import pathlib
import sys
import wave

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("encoder", pathlib.Path(__file__).with_name("second-encoder.py"))
encoder = importlib.util.module_from_spec(spec)
spec.loader.exec_module(encoder)

# In a clean recording, 6000 samples per second suffice for tones below 3000 Hz, as nothing is there to alias.
DECIMATION = 8


def fourier(samples):
    """Reroots the discrete Fourier transform, by recursive halving while the length is even."""
    length = len(samples)
    if length % 2:
        roots = [cmath.exp(-2j * cmath.pi * k / length) for k in range(length)]
        return [sum(x * roots[i * k % length] for i, x in enumerate(samples)) for k in range(length)]
    even, odd = fourier(samples[::2]), fourier(samples[1::2])
    twiddled = [cmath.exp(-2j * cmath.pi * k / length) * x for k, x in enumerate(odd)]
    return [a + b for a, b in zip(even, twiddled)] + [a - b for a, b in zip(even, twiddled)]


def strongest_tone(slot, samples):
    base = 160 if slot % 2 else 54
    bins = fourier(samples[::DECIMATION])[base:base + 128]
    return max(range(128), key=lambda tone: abs(bins[tone]))


def decode(samples):
    start = next((i for i, sample in enumerate(samples) if sample), None)
    if start is None:
        return "silent"
    tones = []
    for slot in range(273):
        begin = start + 480 + 5120 * slot
        if begin + 5120 > len(samples):
            return "too_short"
        tones.append(strongest_tone(slot, samples[begin:begin + 5120]))
    if any(tones[17 * k] != tone for k, tone in enumerate(encoder.SYNC)):
        return "no_sync"
    frame = frame_of(tones)
    if encoder.crc32(frame[:102]) != int.from_bytes(frame[102:], "big"):
        return "no_frame"
    return frame.hex()


def frame_of(tones):
    reversed_tones = [int(f"{tones[encoder.slot_of(i)]:07b}"[::-1], 2) for i in range(256)]
    labels = [tone ^ mask for tone, mask in zip(reversed_tones, encoder.MASK)]
    bits = []
    for level, count in enumerate(encoder.INFORMATION_BITS):
        information = encoder.transform([label >> 6 - level & 1 for label in labels])
        bits += [information[i] for i in sorted(sorted(range(256), key=encoder.weight)[-count:])]
    return bytes(int("".join(map(str, bits[i:i + 8])), 2) for i in range(0, 848, 8))


with wave.open(sys.argv[1]) as recording:
    sound = array.array("h", recording.readframes(recording.getnframes()))
if sys.byteorder == "big":
    sound.byteswap()
print(decode(sound))
