/** Where the pages of the dashboard are. The cookie of a signed-in browser counts there and nowhere else. */
export const dashboardPath = '/dashboard'
export const dashboardCookie = { name: 'ratecard_dashboard', path: dashboardPath }
