// Texts of the table in several languages, and the overrides by a site. Placeholders have the form `{name}`.

export interface Messages {
  readonly choose: string
  readonly contact: string
  readonly free: string
  readonly onRequest: string
  readonly payWhatYouWant: string
  readonly notInCurrency: string
  /** Label beside a price that was negotiated for the viewing tenant. */
  readonly own: string
  readonly daily: string
  readonly weekly: string
  readonly monthly: string
  readonly yearly: string
  readonly perDay: string
  readonly perWeek: string
  readonly perMonth: string
  readonly perYear: string
  /** Text with the placeholders `{count}` and `{unit}`. */
  readonly perSeveral: string
  readonly days: string
  readonly weeks: string
  readonly months: string
  readonly years: string
  readonly once: string
  readonly billing: string
  readonly currency: string
  readonly quantity: string
  /** Text with the placeholder `{percent}`, which is formatted for the locale. */
  readonly save: string
  readonly saveUpTo: string
  /** Text with the placeholders `{money}` and `{unit}`. */
  readonly each: string
  readonly unit: string
  readonly graduated: string
  readonly volume: string
  /** Text with the placeholder `{quantity}`. */
  readonly tierUpTo: string
  readonly tierBeyond: string
  /** Text with the placeholder `{money}`. */
  readonly tierUnit: string
  readonly tierFlat: string
  readonly taxIncluded: string
  readonly taxExcluded: string
  readonly loading: string
  readonly failed: string
  readonly retry: string
  readonly empty: string
}

const en: Messages = {
  choose: 'Choose',
  contact: 'Contact us',
  free: 'Free',
  onRequest: 'Ask us',
  payWhatYouWant: 'You choose the amount',
  notInCurrency: 'Not sold in this currency',
  own: 'Your price',
  daily: 'Daily',
  weekly: 'Weekly',
  monthly: 'Monthly',
  yearly: 'Yearly',
  perDay: 'per day',
  perWeek: 'per week',
  perMonth: 'per month',
  perYear: 'per year',
  perSeveral: 'every {count} {unit}',
  days: 'days',
  weeks: 'weeks',
  months: 'months',
  years: 'years',
  once: 'one-time',
  billing: 'Billing period',
  currency: 'Currency',
  quantity: 'Quantity',
  save: 'save {percent}',
  saveUpTo: 'save up to {percent}',
  each: '{money} per {unit}',
  unit: 'unit',
  graduated: 'Each step at its own price',
  volume: 'All units at the price of the step reached',
  tierUpTo: 'Up to {quantity}',
  tierBeyond: 'Beyond',
  tierUnit: '{money} each',
  tierFlat: '{money} flat',
  taxIncluded: 'incl. tax',
  taxExcluded: 'plus tax',
  loading: 'Loading prices …',
  failed: 'The prices could not be loaded.',
  retry: 'Try again',
  empty: 'There are no prices to show.',
}

const de: Messages = {
  choose: 'Auswählen',
  contact: 'Kontakt aufnehmen',
  free: 'Kostenlos',
  onRequest: 'Auf Anfrage',
  payWhatYouWant: 'Betrag frei wählbar',
  notInCurrency: 'In dieser Währung nicht erhältlich',
  own: 'Ihr Preis',
  daily: 'Täglich',
  weekly: 'Wöchentlich',
  monthly: 'Monatlich',
  yearly: 'Jährlich',
  perDay: 'pro Tag',
  perWeek: 'pro Woche',
  perMonth: 'pro Monat',
  perYear: 'pro Jahr',
  perSeveral: 'alle {count} {unit}',
  days: 'Tage',
  weeks: 'Wochen',
  months: 'Monate',
  years: 'Jahre',
  once: 'einmalig',
  billing: 'Abrechnungszeitraum',
  currency: 'Währung',
  quantity: 'Menge',
  save: '{percent} sparen',
  saveUpTo: 'bis zu {percent} sparen',
  each: '{money} pro {unit}',
  unit: 'Einheit',
  graduated: 'Jede Stufe zu ihrem Preis',
  volume: 'Alle Einheiten zum Preis der erreichten Stufe',
  tierUpTo: 'Bis {quantity}',
  tierBeyond: 'Darüber',
  tierUnit: 'je {money}',
  tierFlat: '{money} pauschal',
  taxIncluded: 'inkl. Steuern',
  taxExcluded: 'zzgl. Steuern',
  loading: 'Preise werden geladen …',
  failed: 'Die Preise konnten nicht geladen werden.',
  retry: 'Erneut versuchen',
  empty: 'Es gibt keine Preise.',
}

const fr: Messages = {
  choose: 'Choisir',
  contact: 'Nous contacter',
  free: 'Gratuit',
  onRequest: 'Sur demande',
  payWhatYouWant: 'Montant libre',
  notInCurrency: 'Non disponible dans cette devise',
  own: 'Votre prix',
  daily: 'Par jour',
  weekly: 'Par semaine',
  monthly: 'Mensuel',
  yearly: 'Annuel',
  perDay: 'par jour',
  perWeek: 'par semaine',
  perMonth: 'par mois',
  perYear: 'par an',
  perSeveral: 'tous les {count} {unit}',
  days: 'jours',
  weeks: 'semaines',
  months: 'mois',
  years: 'ans',
  once: 'paiement unique',
  billing: 'Période de facturation',
  currency: 'Devise',
  quantity: 'Quantité',
  save: '{percent} d’économie',
  saveUpTo: 'jusqu’à {percent} d’économie',
  each: '{money} par {unit}',
  unit: 'unité',
  graduated: 'Chaque palier à son prix',
  volume: 'Toutes les unités au prix du palier atteint',
  tierUpTo: 'Jusqu’à {quantity}',
  tierBeyond: 'Au-delà',
  tierUnit: '{money} l’unité',
  tierFlat: '{money} forfaitaires',
  taxIncluded: 'TTC',
  taxExcluded: 'HT',
  loading: 'Chargement des prix …',
  failed: "Les prix n'ont pas pu être chargés.",
  retry: 'Réessayer',
  empty: "Il n'y a pas de prix à afficher.",
}

const es: Messages = {
  choose: 'Elegir',
  contact: 'Contáctenos',
  free: 'Gratis',
  onRequest: 'A consultar',
  payWhatYouWant: 'Importe libre',
  notInCurrency: 'No disponible en esta moneda',
  own: 'Su precio',
  daily: 'Diario',
  weekly: 'Semanal',
  monthly: 'Mensual',
  yearly: 'Anual',
  perDay: 'al día',
  perWeek: 'a la semana',
  perMonth: 'al mes',
  perYear: 'al año',
  perSeveral: 'cada {count} {unit}',
  days: 'días',
  weeks: 'semanas',
  months: 'meses',
  years: 'años',
  once: 'pago único',
  billing: 'Periodo de facturación',
  currency: 'Moneda',
  quantity: 'Cantidad',
  save: 'ahorre un {percent}',
  saveUpTo: 'ahorre hasta un {percent}',
  each: '{money} por {unit}',
  unit: 'unidad',
  graduated: 'Cada tramo a su precio',
  volume: 'Todas las unidades al precio del tramo alcanzado',
  tierUpTo: 'Hasta {quantity}',
  tierBeyond: 'Más allá',
  tierUnit: '{money} por unidad',
  tierFlat: '{money} fijos',
  taxIncluded: 'impuestos incluidos',
  taxExcluded: 'más impuestos',
  loading: 'Cargando precios …',
  failed: 'No se pudieron cargar los precios.',
  retry: 'Reintentar',
  empty: 'No hay precios que mostrar.',
}

/** Texts by language subtag, e.g. `de`. */
export const languages: Readonly<Record<string, Messages>> = { en, de, fr, es }

/** Returns the texts for the language of a locale, otherwise in English. The site's own texts take precedence. */
export function wordsFor(locale: string, own: Readonly<Record<string, unknown>> = {}): Messages {
  const words = languages[locale.toLowerCase().split('-')[0] ?? 'en'] ?? en
  const set = Object.entries(own).filter(([name, text]) => Object.hasOwn(words, name) && typeof text === 'string')
  return { ...words, ...Object.fromEntries(set) }
}

export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

const named: Readonly<Record<string, readonly [name: keyof Messages, per: keyof Messages, several: keyof Messages]>> = {
  once: ['once', 'once', 'once'],
  day: ['daily', 'perDay', 'days'],
  week: ['weekly', 'perWeek', 'weeks'],
  month: ['monthly', 'perMonth', 'months'],
  year: ['yearly', 'perYear', 'years'],
}

/** Returns the label of a period on the switch, e.g. `Monthly` or `every 3 months`. */
export function periodName(period: string, words: Messages): string {
  const row = named[period]
  return row === undefined ? severalWords(period, words) : words[row[0]]
}

/** Returns the text of a period beside an amount, e.g. `per month` or `every 3 months`. */
export function periodWords(period: string, words: Messages): string {
  const row = named[period]
  return row === undefined ? severalWords(period, words) : words[row[1]]
}

function severalWords(period: string, words: Messages): string {
  const [count = '', unit = ''] = period.split(' ')
  return fill(words.perSeveral, { count, unit: words[named[unit]?.[2] ?? 'once'] })
}
