// Reads policies from files: those of readers, and the operator's WITNESS_POLICY.
import { parseBaseAddress } from '../base/base-address.ts'
import { ArchiveError, isArchiveError } from '../base/errors.ts'
import { readRegularFile } from '../base/regular-file.ts'
import { lineOf, SettingError } from '../base/terminal.ts'
import type { Cosigner } from './cosignature.ts'
import { MAX_SIGNATURES } from './note.ts'
import { MAX_POLICY_BYTES, type Policy, type PolicyWitness, parsePolicy } from './policy.ts'

/** @throws Error with one line that names the file and, if the policy breaks a rule, the line */
export function readPolicyFile(file: string): Policy {
  try {
    return parsePolicy(readRegularFile(file, MAX_POLICY_BYTES))
  } catch (error) {
    if (!isArchiveError(error, 'invalid_policy')) throw error
    throw new Error(`${file}: ${error.message}`, { cause: error })
  }
}

export interface AskedWitness extends PolicyWitness {
  /** An http or https address, without a trailing slash. */
  url: string
}

/** The operator's policy. */
export interface WitnessPolicy extends Policy {
  /** The witnesses with an address whose cosignatures are verified here. */
  asked: readonly AskedWitness[]
  /** The keys of all witnesses whose cosignatures are verified here. */
  keys: readonly Cosigner[]
}

/**
 * Reads the file that WITNESS_POLICY names.
 * @returns null if it names none
 * @throws SettingError if the file cannot be read or breaks a rule
 */
export function readWitnessPolicy(file: string | undefined): WitnessPolicy | null {
  if (!file) return null
  try {
    const policy = readPolicyFile(file)
    const witnesses = policy.witnesses.filter(({ key }) => key.isVerifiable)
    if (witnesses.length >= MAX_SIGNATURES)
      throw new Error(
        `${file}: has ${witnesses.length} witnesses, and a checkpoint has room for ${MAX_SIGNATURES - 1}`,
      )
    const asked = witnesses.flatMap((witness) => addressed(witness, file) ?? [])
    return { ...policy, asked, keys: witnesses.map(({ key }) => key) }
  } catch (error) {
    throw new SettingError(`WITNESS_POLICY: ${lineOf(error)}`, { cause: error })
  }
}

function addressed(witness: PolicyWitness, file: string): AskedWitness | null {
  const { url, line } = witness
  if (url === null) return null
  try {
    return { ...witness, url: parseBaseAddress(url) }
  } catch (error) {
    throw new ArchiveError(
      'invalid_policy',
      `${file}: line ${line}: the address ${(error as Error).message}`,
    )
  }
}
