import { z } from 'zod'
import { jsonForm, type ResourceForm } from '../http/resource.ts'
import { blocks, bullets } from '../site/markup.ts'

/** A description for programs of a page on which people work: its purpose, and what programs use instead. */
const Guide = z
  .strictObject({
    title: z.string(),
    about: z.string(),
    instead: z.array(z.string()).meta({ description: 'What programs use for the same' }),
  })
  .meta({ id: 'PageGuide', description: 'What a page for people is for, and what programs use instead' })
export type Guide = z.infer<typeof Guide>

/** The forms of such a page for programs. */
export const guideForms = (guide: Guide): ResourceForm[] => [
  {
    type: 'text/markdown; charset=utf-8',
    render: () => blocks([`# ${guide.title}`, guide.about, 'For programs:', bullets(guide.instead)]),
  },
  jsonForm(Guide, () => guide),
]
