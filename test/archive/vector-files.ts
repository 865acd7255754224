// Reads archive/vectors as a test of another implementation would, without our code.
import { readFileSync } from 'node:fs'

const folder = new URL('../../archive/vectors/', import.meta.url)

export const vectorText = (name: string): string => readFileSync(new URL(name, folder), 'utf8')

/** Returns the parsed content of a vector file. */
export const readVectors = <Content>(name: string): Content => JSON.parse(vectorText(name))
