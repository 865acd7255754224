// A successive-cancellation list decoder across the seven polar levels: each path has its own labels (SPEC.md 9.8).
import { CODE_LENGTH, LEVELS, TONES } from '../constants.ts'
import { INFORMATION_POSITIONS } from '../polar.ts'
import { boxPlus, costOfZero, logAdd } from './llr.ts'
import type { FramePrior } from './prior.ts'
import { Selector } from './select.ts'

/** Kinds of nodes of a code tree: all bits frozen, only the last bit free, or anything else. */
const RATE_0 = 0
const REPETITION = 1
const GENERAL = 2

const LAYERS = Math.log2(CODE_LENGTH)

/** LEVEL_NODES[j][n] is the kind of node n of level j; node n has the children 2n and 2n+1, leaf i is node 256 + i. */
const LEVEL_NODES: readonly Uint8Array[] = INFORMATION_POSITIONS.map(classifyNodes)

function classifyNodes(positions: Uint8Array): Uint8Array {
  const nodes = new Uint8Array(2 * CODE_LENGTH)
  for (const i of positions) nodes[CODE_LENGTH + i] = REPETITION
  for (let n = CODE_LENGTH - 1; n > 0; n--) {
    const [left, right] = [nodes[2 * n]!, nodes[2 * n + 1]!]
    nodes[n] = left === RATE_0 ? right : GENERAL
  }
  return nodes
}

/**
 * Finds the likeliest label sequences of a transmission by a breadth-first search over all 7 * 256 decisions, keeping
 * the best paths. Owns the scratch space for lists up to `capacity`; not thread-safe.
 */
export class ListDecoder {
  readonly capacity: number
  /** Number of paths after `decode`. */
  count = 0
  /** The labels of the paths after `decode`, 256 per path. */
  labels: Uint8Array
  /** The costs (path metrics) of the paths after `decode`: -ln of the probability of their labels. */
  cost: Float64Array
  #spareLabels: Uint8Array
  #spareCost: Float64Array
  #limit = 0
  #prior: FramePrior | null = null
  /** Index in the frame of the next bit to decide. */
  #bit = 0
  /** 1 for each path whose current field is still a run (see FramePrior). */
  #isRun: Uint8Array
  #spareIsRun: Uint8Array
  #nodes = LEVEL_NODES[0]!
  readonly #ratioTree = new Float32Array(CODE_LENGTH * TONES)
  /** #ratios[k] holds the 2^k log-likelihood ratios per path of the current node of layer k. */
  readonly #ratios: Float32Array[]
  /** Codewords of both halves of the current node of layer k, and the index of each path before that half. */
  readonly #words: {
    left: Uint8Array
    right: Uint8Array
    fromLeft: Int32Array
    fromRight: Int32Array
  }[]
  readonly #word: Uint8Array
  readonly #from: Int32Array
  readonly #branchCost: Float64Array
  readonly #survivors: Uint8Array
  readonly #selector: Selector

  constructor(capacity: number) {
    this.capacity = capacity
    this.labels = new Uint8Array(capacity * CODE_LENGTH)
    this.#spareLabels = new Uint8Array(capacity * CODE_LENGTH)
    this.cost = new Float64Array(capacity)
    this.#spareCost = new Float64Array(capacity)
    this.#isRun = new Uint8Array(capacity)
    this.#spareIsRun = new Uint8Array(capacity)
    const layers = Array.from({ length: LAYERS + 1 }, (_, k) => capacity * 2 ** k)
    this.#ratios = layers.map((size) => new Float32Array(size))
    this.#words = layers.map((size) => ({
      left: new Uint8Array(size / 2),
      right: new Uint8Array(size / 2),
      fromLeft: new Int32Array(capacity),
      fromRight: new Int32Array(capacity),
    }))
    this.#word = new Uint8Array(capacity * CODE_LENGTH)
    this.#from = new Int32Array(capacity)
    this.#branchCost = new Float64Array(2 * capacity)
    this.#survivors = new Uint8Array(2 * capacity)
    this.#selector = new Selector(2 * capacity)
  }

  /**
   * @param metrics log-likelihoods of the labels at [i * 128 + label], each code position i up to a constant
   * @param lists list size at each level, at most `capacity`
   * @param prior of the frame; null for uniform bits
   */
  decode(metrics: Float32Array, lists: readonly number[], prior: FramePrior | null = null): void {
    fillRatioTree(metrics, this.#ratioTree)
    this.#prior = prior
    this.#bit = 0
    this.count = 1
    this.cost[0] = 0
    this.labels.fill(0, 0, CODE_LENGTH)
    for (let level = 0; level < LEVELS; level++) {
      this.#limit = lists[level]!
      this.#nodes = LEVEL_NODES[level]!
      this.#loadLevel(level)
      this.#decodeNode(LAYERS, 1, this.#word, this.#from)
      this.#appendBits()
    }
  }

  /** Returns the indices of the paths in order of increasing cost. */
  ranking(): number[] {
    return Array.from({ length: this.count }, (_, p) => p).sort(
      (a, b) => this.cost[a]! - this.cost[b]!,
    )
  }

  #loadLevel(level: number): void {
    const [tree, labels, ratios] = [this.#ratioTree, this.labels, this.#ratios[LAYERS]!]
    const first = 1 << level
    for (let at = 0; at < this.count * CODE_LENGTH; at++) {
      ratios[at] = tree[(at % CODE_LENGTH) * TONES + first + labels[at]!]!
    }
  }

  #appendBits(): void {
    const [old, next, word] = [this.labels, this.#spareLabels, this.#word]
    for (let p = 0; p < this.count; p++) {
      let source = this.#from[p]! * CODE_LENGTH
      for (let at = p * CODE_LENGTH; at < (p + 1) * CODE_LENGTH; at++) {
        next[at] = (old[source++]! << 1) | word[at]!
      }
    }
    this.labels = next
    this.#spareLabels = old
  }

  /** Decides the bits of a node of 2^layer positions; `word` and `from` receive each path's code bits and origin. */
  #decodeNode(layer: number, node: number, word: Uint8Array, from: Int32Array): void {
    const kind = this.#nodes[node]!
    if (kind === RATE_0) this.#decodeRate0(layer, word, from)
    else if (kind === REPETITION) this.#decodeRepetition(layer, word, from)
    else this.#decodeHalves(layer, node, word, from)
  }

  #decodeHalves(layer: number, node: number, word: Uint8Array, from: Int32Array): void {
    const { left, right, fromLeft, fromRight } = this.#words[layer]!
    const half = 1 << (layer - 1)
    const ratios = this.#ratios[layer]!
    const below = this.#ratios[layer - 1]!
    for (let p = 0, at = 0; p < this.count; p++) {
      for (let a = 2 * p * half; a < (2 * p + 1) * half; a++) {
        below[at++] = boxPlus(ratios[a]!, ratios[a + half]!)
      }
    }
    this.#decodeNode(layer - 1, 2 * node, left, fromLeft)
    for (let p = 0, at = 0; p < this.count; p++) {
      const start = 2 * fromLeft[p]! * half
      for (let a = start; a < start + half; a++, at++) {
        below[at] =
          left[at]! === 0 ? ratios[a + half]! + ratios[a]! : ratios[a + half]! - ratios[a]!
      }
    }
    this.#decodeNode(layer - 1, 2 * node + 1, right, fromRight)
    for (let p = 0, at = 0; p < this.count; p++) {
      const middle = fromRight[p]!
      from[p] = fromLeft[middle]!
      let a = 2 * p * half
      for (let l = middle * half; l < (middle + 1) * half; l++, a++, at++) {
        word[a] = left[l]! ^ right[at]!
        word[a + half] = right[at]!
      }
    }
  }

  /** A rate-0 node: all bits are 0, and the cost is exact without descending to the leaves. */
  #decodeRate0(layer: number, word: Uint8Array, from: Int32Array): void {
    const ratios = this.#ratios[layer]!
    const size = 1 << layer
    for (let p = 0; p < this.count; p++) {
      let cost = 0
      for (let at = p * size; at < (p + 1) * size; at++) cost += costOfZero(ratios[at]!)
      this.cost[p]! += cost
      from[p] = p
    }
    word.fill(0, 0, this.count * size)
  }

  /** A repetition node: every path splits into all zeros and all ones, and the best survive. */
  #decodeRepetition(layer: number, word: Uint8Array, from: Int32Array): void {
    const ratios = this.#ratios[layer]!
    const size = 1 << layer
    for (let p = 0; p < this.count; p++) {
      let zeros = this.cost[p]!
      let sum = 0
      for (let at = p * size; at < (p + 1) * size; at++) {
        zeros += costOfZero(ratios[at]!)
        sum += ratios[at]!
      }
      this.#branchCost[2 * p] = zeros
      this.#branchCost[2 * p + 1] = zeros + sum
    }
    this.#addPrior()
    this.#keepBest(size, word, from)
    this.#bit++
  }

  /** Adds the prior's cost to both branches of each path. */
  #addPrior(): void {
    if (this.#prior === null) return
    const { begins, run, onRun, offRun } = this.#prior
    const bit = this.#bit
    for (let p = 0; p < this.count; p++) {
      if (begins[bit] === 1) this.#isRun[p] = 1
      if (this.#isRun[p] === 0) continue
      this.#branchCost[2 * p + run[bit]!]! += onRun[bit]!
      this.#branchCost[2 * p + 1 - run[bit]!]! += offRun[bit]!
    }
  }

  #keepBest(size: number, word: Uint8Array, from: Int32Array): void {
    const [branches, survivors, cost] = [this.#branchCost, this.#survivors, this.#spareCost]
    const branchCount = 2 * this.count
    const keep = Math.min(branchCount, this.#limit)
    if (keep < branchCount) this.#selector.markSmallest(branches, branchCount, keep, survivors)
    else survivors.fill(1, 0, branchCount)
    const runBit = this.#prior === null ? 0 : this.#prior.run[this.#bit]!
    let next = 0
    for (let b = 0; b < branchCount; b++) {
      if (survivors[b] === 0) continue
      cost[next] = branches[b]!
      from[next] = b >> 1
      this.#spareIsRun[next] = (b & 1) === runBit ? this.#isRun[b >> 1]! : 0
      for (let at = next * size; at < (next + 1) * size; at++) word[at] = b & 1
      next++
    }
    this.#spareCost = this.cost
    this.cost = cost
    this.count = next
    const isRun = this.#isRun
    this.#isRun = this.#spareIsRun
    this.#spareIsRun = isRun
  }
}

/**
 * Fills the binary tree over the labels of each position: tree[i * 128 + n] is the log-likelihood ratio ln(P0/P1) of
 * the next bit, given the label prefix of node n (binary: a leading 1, then the prefix).
 */
function fillRatioTree(metrics: Float32Array, tree: Float32Array): void {
  const sums = new Float64Array(2 * TONES)
  for (let start = 0; start < CODE_LENGTH * TONES; start += TONES) {
    for (let label = 0; label < TONES; label++) sums[TONES + label] = metrics[start + label]!
    for (let n = TONES - 1; n > 0; n--) {
      const [zero, one] = [sums[2 * n]!, sums[2 * n + 1]!]
      tree[start + n] = zero - one
      sums[n] = logAdd(zero, one)
    }
  }
}
