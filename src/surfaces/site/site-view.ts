// Conveniences of pages with a script: copy a text, print, send a form without its empty fields. Pages work without them.

for (const figure of document.querySelectorAll<HTMLElement>('figure.snippet')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code')?.textContent ?? '')
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  figure.querySelector('figcaption')?.append(button)
}

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => window.print())
}

for (const form of document.querySelectorAll<HTMLFormElement>('form.lookup'))
  form.addEventListener('formdata', ({ formData }) => {
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
  })
