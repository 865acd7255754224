// Finds and creates elements of HTML and SVG. Text children are never parsed as HTML.

export const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const created = Object.assign(document.createElement(name), properties)
  created.append(...children)
  return created
}

export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...children: SVGElement[]
): SVGElementTagNameMap[Name] {
  const created = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value)
  created.append(...children)
  return created
}
