// Name of the event that opens the dialog of palette.tsx. It is in a separate file, because the build renders the frame in Node, where the
// code of the dialog cannot run.
export const openEvent = 'ratecard-palette'

export const openPalette = () => dispatchEvent(new Event(openEvent))

/** Returns the keys that open the dialog on this system. */
export const paletteKeys = () =>
  typeof document !== 'undefined' && /Mac|iP/.test(navigator.platform) ? '⌘K' : 'Ctrl K'
