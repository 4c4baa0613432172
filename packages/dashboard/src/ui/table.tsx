// Table of a list. It fits every width: it leaves out columns that matter less, then becomes paragraphs.
import { Fragment, useEffect, useLayoutEffect, useRef, type ReactNode } from 'react'

/** Leaves out the extra columns of a table that is wider than its place. If that is not enough, or on a phone, stacks the table. */
function fit(place: HTMLElement): void {
  const isPhone = matchMedia('(max-width: 40rem)').matches
  // Measured without the classes, because a stacked table always fits.
  place.classList.remove(reduced)
  if (!isPhone) place.classList.remove(stacked)
  const isWider = () => place.scrollWidth > place.clientWidth
  if (!isPhone && isWider()) place.classList.add(reduced)
  if (!isPhone && !isWider()) return
  place.classList.remove(reduced)
  place.classList.add(stacked)
}

/**
 * Calls `act` in the next frame when the element gets another width, e.g. when its dialog or fold opens, and when the window does: a table
 * that is too wide can keep its width in a window that became narrower. Returns a function to stop.
 */
function onWidth(element: HTMLElement, act: (element: HTMLElement) => void): () => void {
  let [width, frame] = [element.clientWidth, 0]
  const later = () => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(() => act(element))
  }
  const observer = new ResizeObserver(() => {
    if (element.clientWidth === width) return
    width = element.clientWidth
    later()
  })
  observer.observe(element)
  window.addEventListener('resize', later)
  return () => {
    observer.disconnect()
    window.removeEventListener('resize', later)
    cancelAnimationFrame(frame)
  }
}

const stacked = 'is-stacked'
const reduced = 'is-reduced'

interface Row {
  readonly key: string
  readonly cells: readonly ReactNode[]
  /** Content under the cells, as wide as the table. */
  readonly below?: ReactNode
}

interface Column {
  readonly name: string
  readonly isNumber?: boolean
  /** Left out where the table is wider than its place. In a stacked table it is there again. */
  readonly isExtra?: boolean
  /** Holds sentences or long names. It keeps a readable width, at the cost of extra columns. */
  readonly isLong?: boolean
}

const headClass = ({ isNumber = false, isExtra = false, isLong = false }: Column) =>
  [isNumber ? 'number' : '', isExtra ? 'is-extra' : '', isLong ? 'is-long' : ''].filter((name) => name !== '').join(' ')

/** A cell without a value is left out on narrow screens. */
const cellClass = (column: Column, cell: ReactNode) =>
  `${headClass(column)}${cell === null || cell === '—' ? ' is-empty' : ''}`.trim()

/**
 * Table whose rows become short paragraphs on phones, and wherever the table does not fit, so that nothing is cut off. A paragraph begins
 * with the first cell; the other cells follow with their column names, as many on a line as fit. The roles are explicit, because browsers
 * drop those of a table whose cells are displayed as blocks.
 */
export function Table({
  caption,
  columns,
  rows,
}: {
  readonly caption: string
  readonly columns: readonly (string | Column)[]
  readonly rows: readonly Row[]
}) {
  const heads = columns.map((column): Column => (typeof column === 'string' ? { name: column } : column))
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (place.current !== null) fit(place.current)
  })
  useEffect(() => (place.current === null ? undefined : onWidth(place.current, fit)), [])
  return (
    <div className="table-wrap" ref={place}>
      <table className="table" role="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {heads.map((head, index) => (
              <th key={index} scope="col" role="columnheader" className={headClass(head)}>
                {head.name === '' ? <span className="visually-hidden">Actions</span> : head.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(({ key, cells, below }) => (
            <Fragment key={key}>
              <tr role="row" className={below === undefined ? undefined : 'row-open'}>
                {cells.map((cell, index) => (
                  <td
                    key={index}
                    role="cell"
                    data-name={heads[index]?.name}
                    className={cellClass(heads[index] ?? { name: '' }, cell)}
                  >
                    {cell}
                  </td>
                ))}
              </tr>
              {below === undefined ? null : (
                <tr role="row">
                  <td role="cell" colSpan={heads.length}>
                    {below}
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  )
}
