// npm run demo: heeds signals before it loads the rest.
import { stopSignal } from '../signals.js'

const stopped = stopSignal()
const { main } = await import('./main.ts')
await main(stopped)
