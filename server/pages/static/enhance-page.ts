// Enhances pages without a form: the strip of tones seeks and highlights the current tone, films load a poster, and
// commands get a copy button.
import { addCopyButtons } from './copy-button.ts'
import { enhancePlayer } from './tone-player.ts'

for (const player of document.querySelectorAll<HTMLElement>('.player')) enhancePlayer(player)

// Load the poster when the film is opened, not with the page.
for (const film of document.querySelectorAll<HTMLDetailsElement>('.film'))
  film.addEventListener('toggle', () => {
    const video = film.querySelector('video')
    if (video?.dataset.poster) video.poster = video.dataset.poster
  })

addCopyButtons(document)
