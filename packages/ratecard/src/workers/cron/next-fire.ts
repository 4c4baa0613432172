import type { CronSchedule } from './parse.ts'

const minuteMs = 60_000
const minutesPerDay = 1440
/** Search limit in years. A schedule for 29 February fires least often: its next date can be eight years away (e.g. 1896 to 1904). */
const horizonYears = 9

/**
 * Returns the first time strictly after `after` at which the schedule fires; null if there is none. Both times are epoch milliseconds, and
 * the schedule is in UTC.
 */
export function nextFire(schedule: CronSchedule, after: number): number | null {
  const start = Math.floor(after / minuteMs) + 1
  let day = Math.floor(start / minutesPerDay)
  let minuteOfDay = start - day * minutesPerDay
  const date = new Date(day * minutesPerDay * minuteMs)
  let year = date.getUTCFullYear()
  let month = date.getUTCMonth() + 1
  let dayOfMonth = date.getUTCDate()
  let weekday = date.getUTCDay()
  const lastYear = year + horizonYears
  while (year <= lastYear) {
    let skip = 1
    if (schedule.months[month] !== 1) skip = daysIn(year, month) - dayOfMonth + 1
    else if (dayMatches(schedule, dayOfMonth, weekday)) {
      const found = firstMinute(schedule, minuteOfDay)
      if (found !== undefined) return (day * minutesPerDay + found) * minuteMs
    }
    minuteOfDay = 0
    day += skip
    dayOfMonth += skip
    weekday = (weekday + skip) % 7
    if (dayOfMonth > daysIn(year, month)) {
      dayOfMonth = 1
      month = month === 12 ? 1 : month + 1
      if (month === 1) year++
    }
  }
  return null
}

function dayMatches(schedule: CronSchedule, dayOfMonth: number, weekday: number): boolean {
  const byDate = schedule.daysOfMonth[dayOfMonth] === 1
  const byWeekday = schedule.daysOfWeek[weekday] === 1
  return schedule.anyDayOfMonth || schedule.anyDayOfWeek ? byDate && byWeekday : byDate || byWeekday
}

function firstMinute(schedule: CronSchedule, from: number): number | undefined {
  let minute = from % 60
  for (let hour = Math.floor(from / 60); hour < 24; hour++, minute = 0) {
    if (schedule.hours[hour] !== 1) continue
    const found = schedule.minutes.indexOf(1, minute)
    if (found >= 0) return hour * 60 + found
  }
  return undefined
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
