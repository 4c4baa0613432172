/** Path and cookie of the dashboard. The cookie is accepted below this path only. */
export const dashboardPath = '/dashboard'
export const dashboardCookie = { name: 'ratecard_dashboard', path: dashboardPath }
