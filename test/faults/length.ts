// How long the runs of test/faults/ take, and with which seed they begin, as npm run test:faults says.

/** Of each kind of run [min]; 0 for the shortest, which test:slow and test:engines run. */
export const MINUTES = Number(process.env.FAULTS_MINUTES ?? 0)
export const SEED = Number(process.env.FAULTS_SEED ?? 1)
