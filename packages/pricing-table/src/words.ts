// The words of the table in a few languages, and how a site sets its own. `{…}` is filled in.

export interface Words {
  readonly choose: string
  readonly contact: string
  readonly free: string
  readonly onRequest: string
  readonly payWhatYouWant: string
  readonly notInCurrency: string
  readonly perDay: string
  readonly perWeek: string
  readonly perMonth: string
  readonly perYear: string
  /** `{count}` and `{unit}`. */
  readonly perSeveral: string
  readonly day: string
  readonly week: string
  readonly month: string
  readonly year: string
  readonly once: string
  readonly billing: string
  readonly currency: string
  readonly quantity: string
  /** `{percent}`. */
  readonly save: string
  readonly from: string
  readonly perUnit: string
  readonly taxIncluded: string
  readonly taxExcluded: string
  readonly loading: string
  readonly failed: string
  readonly retry: string
  readonly empty: string
}

const en: Words = {
  choose: 'Choose',
  contact: 'Contact us',
  free: 'Free',
  onRequest: 'Ask us',
  payWhatYouWant: 'You choose the amount',
  notInCurrency: 'Not sold in this currency',
  perDay: 'per day',
  perWeek: 'per week',
  perMonth: 'per month',
  perYear: 'per year',
  perSeveral: 'every {count} {unit}',
  day: 'days',
  week: 'weeks',
  month: 'months',
  year: 'years',
  once: 'one-time',
  billing: 'Billing period',
  currency: 'Currency',
  quantity: 'Quantity',
  save: 'save up to {percent} %',
  from: 'from',
  perUnit: 'per unit',
  taxIncluded: 'incl. tax',
  taxExcluded: 'plus tax',
  loading: 'Loading prices …',
  failed: 'The prices could not be loaded.',
  retry: 'Try again',
  empty: 'There are no prices to show.',
}

const de: Words = {
  choose: 'Auswählen',
  contact: 'Kontakt aufnehmen',
  free: 'Kostenlos',
  onRequest: 'Auf Anfrage',
  payWhatYouWant: 'Betrag frei wählbar',
  notInCurrency: 'In dieser Währung nicht erhältlich',
  perDay: 'pro Tag',
  perWeek: 'pro Woche',
  perMonth: 'pro Monat',
  perYear: 'pro Jahr',
  perSeveral: 'alle {count} {unit}',
  day: 'Tage',
  week: 'Wochen',
  month: 'Monate',
  year: 'Jahre',
  once: 'einmalig',
  billing: 'Abrechnungszeitraum',
  currency: 'Währung',
  quantity: 'Menge',
  save: 'bis zu {percent} % sparen',
  from: 'ab',
  perUnit: 'pro Einheit',
  taxIncluded: 'inkl. Steuern',
  taxExcluded: 'zzgl. Steuern',
  loading: 'Preise werden geladen …',
  failed: 'Die Preise konnten nicht geladen werden.',
  retry: 'Erneut versuchen',
  empty: 'Es gibt keine Preise.',
}

const fr: Words = {
  choose: 'Choisir',
  contact: 'Nous contacter',
  free: 'Gratuit',
  onRequest: 'Sur demande',
  payWhatYouWant: 'Montant libre',
  notInCurrency: 'Non disponible dans cette devise',
  perDay: 'par jour',
  perWeek: 'par semaine',
  perMonth: 'par mois',
  perYear: 'par an',
  perSeveral: 'tous les {count} {unit}',
  day: 'jours',
  week: 'semaines',
  month: 'mois',
  year: 'ans',
  once: 'paiement unique',
  billing: 'Période de facturation',
  currency: 'Devise',
  quantity: 'Quantité',
  save: "jusqu'à {percent} % d'économie",
  from: 'à partir de',
  perUnit: 'par unité',
  taxIncluded: 'TTC',
  taxExcluded: 'HT',
  loading: 'Chargement des prix …',
  failed: "Les prix n'ont pas pu être chargés.",
  retry: 'Réessayer',
  empty: "Il n'y a pas de prix à afficher.",
}

const es: Words = {
  choose: 'Elegir',
  contact: 'Contáctenos',
  free: 'Gratis',
  onRequest: 'A consultar',
  payWhatYouWant: 'Importe libre',
  notInCurrency: 'No disponible en esta moneda',
  perDay: 'al día',
  perWeek: 'a la semana',
  perMonth: 'al mes',
  perYear: 'al año',
  perSeveral: 'cada {count} {unit}',
  day: 'días',
  week: 'semanas',
  month: 'meses',
  year: 'años',
  once: 'pago único',
  billing: 'Periodo de facturación',
  currency: 'Moneda',
  quantity: 'Cantidad',
  save: 'ahorre hasta un {percent} %',
  from: 'desde',
  perUnit: 'por unidad',
  taxIncluded: 'impuestos incluidos',
  taxExcluded: 'más impuestos',
  loading: 'Cargando precios …',
  failed: 'No se pudieron cargar los precios.',
  retry: 'Reintentar',
  empty: 'No hay precios que mostrar.',
}

const languages: Readonly<Record<string, Words>> = { en, de, fr, es }

/** The words of the locale's language, English where there is none, with the site's own in place of any. */
export function wordsFor(locale: string, own: Readonly<Record<string, unknown>> = {}): Words {
  const words = languages[locale.toLowerCase().split('-')[0] ?? 'en'] ?? en
  const set = Object.entries(own).filter(([name, text]) => Object.hasOwn(words, name) && typeof text === 'string')
  return { ...words, ...Object.fromEntries(set) }
}

export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}
