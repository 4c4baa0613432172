import type { CronSchedule } from './parse.ts'

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/**
 * Describes a common cron schedule in English (e.g. `every 5 minutes`, `Sundays at 00:00 UTC`). Returns undefined for any other schedule.
 */
export function describeCron(schedule: CronSchedule): string | undefined {
  const fields = schedule.expression.split(' ')
  const [minute, hour, date, month, weekday] = fields
  if (minute === undefined || hour === undefined) return undefined
  const everyDay = date === '*' && month === '*' && weekday === '*'
  if (everyDay && hour === '*') return describeMinutes(minute)
  if (everyDay && isNumber(minute) && Number(minute) === 0 && /^\*\/\d+$/.test(hour))
    return describeStep(hour, 24, 'hour')
  if (!isNumber(minute) || !isNumber(hour)) return undefined
  const time = `at ${twoDigits(hour)}:${twoDigits(minute)} UTC`
  if (everyDay) return `every day ${time}`
  if (date === '*' && month === '*' && isNumber(weekday)) return `${weekdays[Number(weekday)]!}s ${time}`
  if (weekday !== '*' || !isNumber(date)) return undefined
  // Not every month has a day 29, and not every year a 29 February.
  if (month === '*') return Number(date) > 28 ? undefined : `day ${String(Number(date))} of every month ${time}`
  if (!isNumber(month) || (Number(month) === 2 && Number(date) === 29)) return undefined
  return `every year on ${twoDigits(month)}-${twoDigits(date)} ${time}`
}

function describeMinutes(minute: string): string | undefined {
  if (minute === '*') return 'every minute'
  if (isNumber(minute) && Number(minute) === 0) return 'every hour'
  if (/^\*\/\d+$/.test(minute)) return describeStep(minute, 60, 'minute')
  return isNumber(minute) ? `every hour at minute ${String(Number(minute))}` : undefined
}

/**
 * Describes a step, e.g. `every 5 minutes`. Returns undefined if the step does not divide the hour (or day) evenly: e.g. steps of 7 minutes
 * end with a shorter gap, so "every 7 minutes" would be wrong.
 */
function describeStep(field: string, span: number, unit: string): string | undefined {
  const step = Number(field.slice(2))
  if (span % step !== 0) return undefined
  return step === 1 ? `every ${unit}` : `every ${step} ${unit}s`
}

/** Writes a number of a schedule with two digits: `000` and `0` are both minute `00`. */
const twoDigits = (field: string) => String(Number(field)).padStart(2, '0')

function isNumber(field: string | undefined): field is string {
  return field !== undefined && /^\d+$/.test(field)
}
