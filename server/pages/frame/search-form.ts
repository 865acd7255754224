// Renders the search's form, which the header of every page has, and builds the addresses of searches.
import { SEARCH_URL } from '../../search/api.ts'
import { MAX_QUERY } from '../../search/rules.ts'
import { type Html, html } from '../parts/html.ts'

/** Returns the address of a search. @param before the cursor of older results */
export function searchUrl(query: string, before?: bigint): string {
  const cursor = before === undefined ? undefined : { before: String(before) }
  return `${SEARCH_URL}?${new URLSearchParams({ q: query, ...cursor })}`
}

/** @param query what the field is filled with */
export const searchForm = (query = ''): Html =>
  html`<form class="search" role="search" action="${SEARCH_URL}">
<label for="search-field" class="unseen">Search the board</label>
<input id="search-field" type="search" name="q" value="${query}" placeholder="Search" required maxlength="${MAX_QUERY}" autocapitalize="none" spellcheck="false">
<button>Search</button>
</form>`
