// Builds the URLs of records' pages, which the JSON also refers to.

export const directoryUrl = (path: string): string => `/d/${path}`

/** A message's page. @param id a number, or a route parameter such as `:id` */
export const messageUrl = (id: bigint | string): string => `/messages/${id}`

/** An investigation's page. @param id a number, or a route parameter such as `:id` */
export const investigationUrl = (id: bigint | string): string => `/investigations/${id}`
