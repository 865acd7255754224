// The entry point of npm run demo. Handles signals before it loads anything else.
import { stopSignal } from '../signals.js'

const stopped = stopSignal()
const { main } = await import('./main.ts')
await main(stopped)
