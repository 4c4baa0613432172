// The texts of each language but English. Only the build imports this file: a page loads one language, as a file of the service.
import type { LanguagePack } from '../words.ts'
import { de } from './de.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { ja } from './ja.ts'
import { ko } from './ko.ts'
import { nl } from './nl.ts'
import { pl } from './pl.ts'
import { pt } from './pt.ts'

/** Texts by language subtag. */
export const packs: Readonly<Record<string, LanguagePack>> = { de, es, fr, it, ja, ko, nl, pl, pt }
