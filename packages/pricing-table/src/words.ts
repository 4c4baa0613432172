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
  perSeveral: 'alle {span}',
  aMonth: '{money} pro Monat',
  perUnit: 'pro {unit}',
  limitADay: 'pro Tag',
  limitAWeek: 'pro Woche',
  limitAMonth: 'pro Monat',
  limitAYear: 'pro Jahr',
  unlimitedOf: 'Unbegrenzt viele {unit}',
  unlimited: 'unbegrenzt',
  limitOf: '{name}: {limit}',
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
  current: 'Ihr Tarif',
  currentUntil: 'Ihr Tarif bis {date}',
  begins: 'Beginnt am {date}',
  switchTo: 'Zu {name} wechseln',
  changeQuantity: 'Menge ändern',
  calculating: 'Wird berechnet …',
  dueNow: 'Jetzt fällig',
  nextInvoice: 'Nächste Rechnung',
  creditPays: '{money} aus Ihrem Guthabenpaket',
  balancePays: '{money} aus Ihrem Kundenguthaben',
  balanceGiven: '{money} kommt zu Ihrem Kundenguthaben',
  moneyOn: '{money} am {date}',
  noInvoice: 'Keine',
  monthlyCost: 'Kosten im Monat',
  fromTo: '{before} → {after}',
  changeBegins: 'Beginnt',
  atOnce: 'sofort',
  confirm: 'Bestätigen',
  cancel: 'Abbrechen',
  close: 'Schließen',
  changing: 'Ihr Tarif wird geändert …',
  changed: 'Ihr Tarif wurde geändert.',
  scheduled: 'Ihr Tarif ändert sich am {date}.',
  paymentRequired: 'Die Zahlung braucht Ihre Zustimmung. Ihr Tarif ändert sich, sobald sie bezahlt ist.',
  pay: 'Zur Zahlung',
  previewStale: 'Inzwischen hat sich etwas geändert. Dies sind die jetzigen Beträge.',
  paymentOverdue: 'Eine Rechnung ist offen. Bezahlen Sie sie zuerst, dann ändern Sie Ihren Tarif.',
  notAllowed: 'Diese Änderung ist hier nicht möglich. Bitte nehmen Sie Kontakt mit uns auf.',
  busy: 'Eine andere Änderung läuft gerade. Versuchen Sie es gleich noch einmal.',
  signedOut: 'Sie sind abgemeldet. Melden Sie sich an und versuchen Sie es erneut.',
  changeFailed: 'Diese Änderung ist jetzt nicht möglich.',
  legacyPriceLeft: 'Ihr bisheriger Preis wird nicht mehr verkauft: Sie können nicht zu ihm zurück.',
  endsAnyway: 'Ihr Abonnement ist gekündigt und endet weiterhin zu seinem Termin.',
  replacesScheduled: 'Eine zuvor geplante Änderung entfällt.',
  usageApart: 'Ihre bisherige Nutzung wird mit dieser Änderung abgerechnet.',
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
  perSeveral: 'tous les {span}',
  aMonth: '{money} par mois',
  perUnit: 'par {unit}',
  limitADay: 'par jour',
  limitAWeek: 'par semaine',
  limitAMonth: 'par mois',
  limitAYear: 'par an',
  unlimitedOf: '{unit} sans limite',
  unlimited: 'sans limite',
  limitOf: '{name} : {limit}',
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
  current: 'Votre offre',
  currentUntil: 'Votre offre jusqu’au {date}',
  begins: 'Commence le {date}',
  switchTo: 'Passer à {name}',
  changeQuantity: 'Modifier la quantité',
  calculating: 'Calcul en cours …',
  dueNow: 'À payer maintenant',
  nextInvoice: 'Prochaine facture',
  creditPays: '{money} de vos crédits',
  balancePays: '{money} de votre solde',
  balanceGiven: '{money} s’ajoute à votre solde',
  moneyOn: '{money} le {date}',
  noInvoice: 'Aucune',
  monthlyCost: 'Coût mensuel',
  fromTo: '{before} → {after}',
  changeBegins: 'Commence',
  atOnce: 'immédiatement',
  confirm: 'Confirmer',
  cancel: 'Annuler',
  close: 'Fermer',
  changing: 'Modification de votre offre …',
  changed: 'Votre offre a été modifiée.',
  scheduled: 'Votre offre change le {date}.',
  paymentRequired: 'Le paiement demande votre accord. Votre offre change dès qu’il est réglé.',
  pay: 'Aller au paiement',
  previewStale: 'Quelque chose a changé entre-temps. Voici les montants actuels.',
  paymentOverdue: 'Une facture est impayée. Réglez-la d’abord, puis modifiez votre offre.',
  notAllowed: 'Cette modification n’est pas possible ici. Contactez-nous.',
  busy: 'Une autre modification est en cours. Réessayez dans un instant.',
  signedOut: 'Vous êtes déconnecté. Connectez-vous et réessayez.',
  changeFailed: 'Cette modification n’est pas possible pour le moment.',
  legacyPriceLeft: 'Votre prix actuel n’est plus vendu : vous ne pourrez pas y revenir.',
  endsAnyway: 'Votre abonnement est résilié et se termine toujours à sa date.',
  replacesScheduled: 'Une modification prévue auparavant est abandonnée.',
  usageApart: 'Votre consommation jusqu’ici est facturée avec cette modification.',
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
  perSeveral: 'cada {span}',
  aMonth: '{money} al mes',
  perUnit: 'por {unit}',
  limitADay: 'al día',
  limitAWeek: 'a la semana',
  limitAMonth: 'al mes',
  limitAYear: 'al año',
  unlimitedOf: '{unit} sin límite',
  unlimited: 'sin límite',
  limitOf: '{name}: {limit}',
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
  current: 'Su plan',
  currentUntil: 'Su plan hasta el {date}',
  begins: 'Empieza el {date}',
  switchTo: 'Cambiar a {name}',
  changeQuantity: 'Cambiar la cantidad',
  calculating: 'Calculando …',
  dueNow: 'A pagar ahora',
  nextInvoice: 'Próxima factura',
  creditPays: '{money} de su crédito',
  balancePays: '{money} de su saldo',
  balanceGiven: '{money} se suma a su saldo',
  moneyOn: '{money} el {date}',
  noInvoice: 'Ninguna',
  monthlyCost: 'Coste mensual',
  fromTo: '{before} → {after}',
  changeBegins: 'Empieza',
  atOnce: 'de inmediato',
  confirm: 'Confirmar',
  cancel: 'Cancelar',
  close: 'Cerrar',
  changing: 'Cambiando su plan …',
  changed: 'Su plan ha cambiado.',
  scheduled: 'Su plan cambia el {date}.',
  paymentRequired: 'El pago necesita su confirmación. Su plan cambia cuando se pague.',
  pay: 'Ir al pago',
  previewStale: 'Algo ha cambiado entretanto. Estos son los importes actuales.',
  paymentOverdue: 'Hay una factura sin pagar. Páguela primero y después cambie su plan.',
  notAllowed: 'Este cambio no es posible aquí. Contáctenos.',
  busy: 'Hay otro cambio en curso. Inténtelo de nuevo en un momento.',
  signedOut: 'Su sesión ha terminado. Inicie sesión e inténtelo de nuevo.',
  changeFailed: 'Este cambio no es posible ahora.',
  legacyPriceLeft: 'Su precio actual ya no se vende: no podrá volver a él.',
  endsAnyway: 'Su suscripción está cancelada y termina igualmente en su fecha.',
  replacesScheduled: 'Se abandona un cambio previsto antes.',
  usageApart: 'Su consumo hasta ahora se factura con este cambio.',
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
