import type { CronSchedule } from '../cron/parse.ts'

const names = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

/**
 * The expression as Cloudflare reads it: days of the week are 0 to 6 from Sunday here and 1 to 7 there, so they are written as
 * names, which mean the same everywhere. Everything else means the same already, the rule for two day fields too.
 */
export function cloudflareCron({ expression }: CronSchedule): string {
  const fields = expression.split(' ')
  const days = fields.pop() ?? '*'
  return [...fields, days.split(',').map(dayItem).join(',')].join(' ')
}

/** `*` stays: it alone leaves the field unrestricted. A step is written out: names take no steps in every parser. */
function dayItem(item: string): string {
  if (item === '*') return item
  const [range = '', step] = item.split('/')
  const [first, last] = range === '*' ? [0, 6] : bounds(range)
  if (step === undefined) return first === last ? nameOf(first) : `${nameOf(first)}-${nameOf(last)}`
  const days: string[] = []
  for (let day = first; day <= last; day += Number(step)) days.push(nameOf(day))
  return days.join(',')
}

function bounds(range: string): [number, number] {
  const [first = '', last = first] = range.split('-')
  return [Number(first), Number(last)]
}

const nameOf = (day: number): string => names[day] ?? String(day)
