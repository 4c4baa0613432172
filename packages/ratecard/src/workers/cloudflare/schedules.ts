import type { CronSchedule } from '../cron/parse.ts'

const names = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

/**
 * Returns the cron expression in Cloudflare's syntax. Cloudflare numbers the days of the week from Sunday as 1, this service from Sunday as
 * 0. So the days are written as names (e.g. `MON`), which are the same in both. All other fields are the same.
 */
export function cloudflareCron({ expression }: CronSchedule): string {
  const fields = expression.split(' ')
  const days = fields.pop() ?? '*'
  return [...fields, days.split(',').map(dayItem).join(',')].join(' ')
}

/**
 * Converts one item of the day-of-week field. `*` is kept, because only a literal `*` means every day. A step becomes a list of names (e.g.
 * `1-5/2` becomes `MON,WED,FRI`), because not every parser accepts steps between names.
 */
function dayItem(item: string): string {
  if (item === '*') return item
  const [range = '', step] = item.split('/')
  const [first, last] = range === '*' ? [0, 6] : rangeBounds(range)
  if (step === undefined) return first === last ? nameOf(first) : `${nameOf(first)}-${nameOf(last)}`
  const days: string[] = []
  for (let day = first; day <= last; day += Number(step)) days.push(nameOf(day))
  return days.join(',')
}

function rangeBounds(range: string): [number, number] {
  const [first = '', last = first] = range.split('-')
  return [Number(first), Number(last)]
}

const nameOf = (day: number): string => names[day] ?? String(day)
