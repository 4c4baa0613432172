// Texts of the table in several languages, and texts that replace them on a site. Placeholders have the form `{name}`.

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
  /** Text with the placeholder `{span}`, e.g. `3 months`, which has the plural form of the locale. */
  readonly perSeveral: string
  /** Text beside a longer period, with the placeholder `{money}`. */
  readonly aMonth: string
  /** Text with the placeholder `{unit}`. */
  readonly perUnit: string
  readonly limitADay: string
  readonly limitAWeek: string
  readonly limitAMonth: string
  readonly limitAYear: string
  /** Text with the placeholder `{unit}`. */
  readonly unlimitedOf: string
  readonly unlimited: string
  /** Text of a limit without a unit, with the placeholders `{name}` and `{limit}`. */
  readonly limitOf: string
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
  /** Label of an offer that the tenant has. `currentUntil` has the placeholder `{date}`. */
  readonly current: string
  readonly currentUntil: string
  readonly begins: string
  /** Text with the placeholder `{name}`. */
  readonly switchTo: string
  readonly changeQuantity: string
  readonly calculating: string
  readonly dueNow: string
  readonly nextInvoice: string
  /** Part of an invoice that prepaid credit pays: `{money}`. */
  readonly creditPays: string
  /** Part of an invoice that the customer's balance pays: `{money}`. */
  readonly balancePays: string
  /** What a change gives back as balance: `{money}`. */
  readonly balanceGiven: string
  /** Text with the placeholders `{money}` and `{date}`. */
  readonly moneyOn: string
  readonly noInvoice: string
  readonly monthlyCost: string
  /** Text with the placeholders `{before}` and `{after}`. */
  readonly fromTo: string
  readonly changeBegins: string
  readonly atOnce: string
  readonly confirm: string
  readonly cancel: string
  readonly close: string
  readonly changing: string
  readonly changed: string
  readonly scheduled: string
  readonly paymentRequired: string
  readonly pay: string
  readonly previewStale: string
  readonly paymentOverdue: string
  readonly notAllowed: string
  readonly busy: string
  readonly signedOut: string
  readonly changeFailed: string
  readonly legacyPriceLeft: string
  readonly endsAnyway: string
  readonly replacesScheduled: string
  readonly usageApart: string
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
  perSeveral: 'every {span}',
  aMonth: '{money} per month',
  perUnit: 'per {unit}',
  limitADay: 'a day',
  limitAWeek: 'a week',
  limitAMonth: 'a month',
  limitAYear: 'a year',
  unlimitedOf: 'Unlimited {unit}',
  unlimited: 'unlimited',
  limitOf: '{name}: {limit}',
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
  current: 'Your plan',
  currentUntil: 'Your plan until {date}',
  begins: 'Begins on {date}',
  switchTo: 'Switch to {name}',
  changeQuantity: 'Change quantity',
  calculating: 'Calculating …',
  dueNow: 'Due now',
  nextInvoice: 'Next invoice',
  creditPays: '{money} from your credit',
  balancePays: '{money} from your balance',
  balanceGiven: '{money} is added to your balance',
  moneyOn: '{money} on {date}',
  noInvoice: 'None',
  monthlyCost: 'Monthly cost',
  fromTo: '{before} → {after}',
  changeBegins: 'Begins',
  atOnce: 'at once',
  confirm: 'Confirm',
  cancel: 'Cancel',
  close: 'Close',
  changing: 'Changing your plan …',
  changed: 'Your plan has changed.',
  scheduled: 'Your plan changes on {date}.',
  paymentRequired: 'Your payment needs a confirmation. Your plan changes when it is paid.',
  pay: 'Go to the payment',
  previewStale: 'Something has changed in the meantime. These are the current amounts.',
  paymentOverdue: 'An invoice is unpaid. Pay it first, then change your plan.',
  notAllowed: 'You cannot make this change here. Please contact us.',
  busy: 'Another change is in progress. Try again in a moment.',
  signedOut: 'You are signed out. Sign in and try again.',
  changeFailed: 'This change is not possible now.',
  legacyPriceLeft: 'Your current price is no longer sold, so you cannot return to it.',
  endsAnyway: 'Your subscription is cancelled, and still ends on its date.',
  replacesScheduled: 'A change that was planned earlier is cancelled.',
  usageApart: 'Your usage so far is billed with this change.',
}

/** Texts of a language but those of {@link firstTexts}, as the service answers them: `GET /pricing-table/de.json`. */
export type LanguagePack = Omit<Messages, keyof FirstTexts>

/** Texts that are needed while the texts of the language are not there, or could not be loaded. */
type FirstTexts = Pick<Messages, 'loading' | 'failed' | 'retry'>

/**
 * Texts that the script itself contains, by language subtag, e.g. `de`. English is not here, because the script contains all of its texts.
 */
const firstTexts: Readonly<Record<string, FirstTexts>> = {
  de: {
    loading: 'Preise werden geladen …',
    failed: 'Die Preise konnten nicht geladen werden.',
    retry: 'Erneut versuchen',
  },
  es: { loading: 'Cargando precios …', failed: 'No se pudieron cargar los precios.', retry: 'Reintentar' },
  fr: { loading: 'Chargement des prix …', failed: 'Les prix n’ont pas pu être chargés.', retry: 'Réessayer' },
  it: { loading: 'Caricamento dei prezzi …', failed: 'Non è stato possibile caricare i prezzi.', retry: 'Riprova' },
  ja: { loading: '料金を読み込んでいます…', failed: '料金を読み込めませんでした。', retry: '再試行' },
  ko: { loading: '요금을 불러오는 중…', failed: '요금을 불러오지 못했습니다.', retry: '다시 시도' },
  nl: {
    loading: 'Prijzen worden geladen …',
    failed: 'De prijzen konden niet worden geladen.',
    retry: 'Opnieuw proberen',
  },
  pl: { loading: 'Wczytywanie cen …', failed: 'Nie udało się wczytać cen.', retry: 'Spróbuj ponownie' },
  pt: { loading: 'A carregar os preços …', failed: 'Não foi possível carregar os preços.', retry: 'Tentar novamente' },
}

/** Language subtags of the built-in texts, e.g. `de`. */
export const languages: readonly string[] = ['en', ...Object.keys(firstTexts)]

/** Returns the language of the built-in texts for a locale: `de` for `de-AT`, `en` for a language without texts. */
export function languageOf(locale: string): string {
  const language = locale.toLowerCase().split('-')[0] ?? 'en'
  return languages.includes(language) ? language : 'en'
}

/**
 * Returns the texts for a locale, from the texts of its language. Without these, and where one is missing, in English. The site's own texts
 * take precedence.
 */
export function wordsFor(
  locale: string,
  own: Readonly<Record<string, unknown>> = {},
  pack: Readonly<Record<string, unknown>> = {},
): Messages {
  const known = (texts: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(texts).filter(([name, text]) => Object.hasOwn(en, name) && typeof text === 'string'),
    )
  return { ...en, ...firstTexts[languageOf(locale)], ...known(pack), ...known(own) }
}

export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

type PeriodTexts = readonly [name: keyof Messages, per: keyof Messages, limit: keyof Messages]

const named: Readonly<Record<string, PeriodTexts>> = {
  once: ['once', 'once', 'once'],
  day: ['daily', 'perDay', 'limitADay'],
  week: ['weekly', 'perWeek', 'limitAWeek'],
  month: ['monthly', 'perMonth', 'limitAMonth'],
  year: ['yearly', 'perYear', 'limitAYear'],
}

/** Returns the label of a period on the switch, e.g. `Monthly` or `every 3 months`. */
export function periodName(period: string, words: Messages, locale: string): string {
  const row = named[period]
  return row === undefined ? severalWords(period, words, locale) : words[row[0]]
}

/** Returns the text of a period beside an amount, e.g. `per month` or `every 3 months`. */
export function periodWords(period: string, words: Messages, locale: string): string {
  const row = named[period]
  return row === undefined ? severalWords(period, words, locale) : words[row[1]]
}

/** Returns the text of a period beside a limit, e.g. `a month` or `every 3 months`. */
export function limitPeriodWords(period: string, words: Messages, locale: string): string {
  const row = named[period]
  return row === undefined ? severalWords(period, words, locale) : words[row[2]]
}

/** The browser provides the plural forms of days, weeks, months and years in every language. */
function severalWords(period: string, words: Messages, locale: string): string {
  const [count = '', unit = ''] = period.split(' ')
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
  return fill(words.perSeveral, { span: format.format(Number(count)) })
}
