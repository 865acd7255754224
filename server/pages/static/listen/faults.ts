// States why there is no microphone, and what helps.

const REASONS: Partial<Record<string, string>> = {
  NotAllowedError:
    'The microphone was refused. Allow it for this page in the settings of your browser, next to the address, and press Listen again.',
  NotFoundError: 'No microphone was found. Connect one and press Listen again.',
  NotReadableError:
    'The microphone is busy. Close the program or the tab that uses it, and press Listen again.',
}

export function whyNot(error: unknown): string {
  if (!navigator.mediaDevices?.getUserMedia || typeof AudioWorkletNode === 'undefined')
    return 'This browser gives this page no microphone. Use a current browser and an address that begins with https, or choose a recording below.'
  const { name, message } = error as Error
  return (
    REASONS[name] ??
    `The microphone could not be opened (${message}). Press Listen again, or choose a recording below.`
  )
}
