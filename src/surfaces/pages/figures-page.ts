import type { Stamp } from '../../operation.ts'
import type { Resource } from '../http/resource.ts'
import type { FiguresParts } from './figures-forms.tsx'
import { sitePage } from './site-page.ts'

export const figuresPage = (parts: FiguresParts & { stamp: Stamp }): Resource =>
  sitePage({
    name: 'get_figures_page',
    path: '/figures',
    summary: 'The dispute figures for people: values, errors, definitions, and the rule by which some are withheld',
    stamp: parts.stamp,
    forms: async () => (await import('./figures-forms.tsx')).figuresForms(parts),
  })
