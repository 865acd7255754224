// What a script adds to a page without a form: the strip seeks, the tone that sounds is lit, commands have a button that
// copies them.
import { addCopyButtons } from './copy-button.ts'
import { enhancePlayer } from './tone-player.ts'

for (const player of document.querySelectorAll<HTMLElement>('.player')) enhancePlayer(player)

// The first picture is loaded when the film is opened, and not with the page.
for (const film of document.querySelectorAll<HTMLDetailsElement>('.film'))
  film.addEventListener('toggle', () => {
    const video = film.querySelector('video')
    if (video?.dataset.poster) video.poster = video.dataset.poster
  })

addCopyButtons(document)
