/** Where the pages of the dashboard are. The cookie of a signed-in browser goes there and nowhere else. */
export const dashboardPath = '/dashboard'
export const dashboardCookie = 'ratecard_dashboard'
