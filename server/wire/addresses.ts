// The addresses of records: the pages that people see, and that the JSON of programs names.

/** A directory's page. @param path of the directory */
export const directoryUrl = (path: string): string => `/d/${path}`

/** A message's page. @param id a number, or a router's parameter for it */
export const messageUrl = (id: bigint | string): string => `/messages/${id}`

/** An investigation's page. @param id a number, or a router's parameter for it */
export const investigationUrl = (id: bigint | string): string => `/investigations/${id}`
