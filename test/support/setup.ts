// Setup file of vitest: evaluated before each file of tests, while what it imports is evaluated once per worker.
import './equal-bytes.ts'
