// The bounds of the page that listens, which it states.

/** The recording that can be saved: its last bytes, as 16-bit samples. */
export const KEPT_BYTES = 57_600_000
export const KEPT_MEGABYTES = 58
/** At 48 kHz. */
export const KEPT_MINUTES = 10

/** What Chromium takes for the page: 363 MB after ten minutes of repetitions that cannot be read, the most that was seen. */
export const PAGE_MEGABYTES = 400

/** At the end, repetitions are added up in the last minutes: a computer takes 20 s for these. */
export const ADDED_MINUTES = 4

/**
 * Compressed recordings are decoded in memory as a whole, and at their own rate before they are resampled: Chromium takes
 * about 75 MiB for each MiB at 128 kbit/s, 375 in all, and more at lower rates.
 */
export const LARGEST_MEBIBYTES = 5
