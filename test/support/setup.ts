// Setup file of vitest: evaluated before each file of tests, while what it imports is evaluated once per worker.
import { afterAll, afterEach, beforeEach } from 'vitest'
import './equal-bytes.ts'
import { beginTest, endFile, endTest } from './release.ts'

// These are the outermost hooks: the first before a test, and the last after it.
beforeEach(beginTest)
afterEach(endTest)
afterAll(endFile)
