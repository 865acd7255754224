// Directories through the real server (specification, Directory; API.md 3).
// Rules: API.md 1.1, 3.1-3.4.
import { describe, expect, test } from 'vitest'
import { startTestService } from '../../support/service.ts'

const service = await startTestService()

const create = (path: unknown, more: object = {}) =>
  service.client.post('/api/v1/directories', { path, ...more })
const accept = { accept: 'application/json' }

describe('creating directories', () => {
  test('a path may have 8 levels, segments of 64 characters, and dots, hyphens, underscores', async () => {
    const segments = ['0-9', '_', 'a.b', '...', 'x'.repeat(64), '-', 'g', 'h']
    for (let depth = 1; depth <= segments.length; depth++)
      expect((await create(segments.slice(0, depth).join('/'))).status).toBe(201)
    expect((await create([...segments, 'i'].join('/'))).code).toBe('invalid_directory')
  })

  test.each([
    [''],
    ['/'],
    ['/a'],
    ['a/'],
    ['a//b'],
    ['.'],
    ['..'],
    ['a/..'],
    ['A'],
    ['ä'],
    ['a b'],
    ['a\n'],
    ['a%2Fb'],
    ['x'.repeat(65)],
    [Array(5).fill('y'.repeat(60)).join('/')],
  ])('the path %j is rejected with invalid_directory', async (path) => {
    const answer = await create(path)
    expect([answer.status, answer.code]).toEqual([400, 'invalid_directory'])
    expect(answer.message).toMatch(/^path: must (?:be|not be empty)/)
  })

  test.each(['system', 'system/news'])('the path %s is reserved', async (path) => {
    const answer = await create(path)
    expect([answer.status, answer.code]).toEqual([400, 'reserved_path'])
  })

  test('a missing parent answers 404, an existing path 409', async () => {
    await create('first')
    expect(await create('nowhere/below')).toMatchObject({ status: 404, code: 'parent_not_found' })
    expect(await create('first')).toMatchObject({ status: 409, code: 'directory_exists' })
  })
})

describe('listing directories', () => {
  test.each([
    ['?after=A', 'invalid_cursor'],
    ['?after=a&after=b', 'invalid_cursor'],
  ])('the query %s is rejected', async (query, code) => {
    for (const path of ['/api/v1/directories', '/directories', '/d/0-9']) {
      const answer = await service.client.get(path + query, accept)
      expect([answer.status, answer.code]).toEqual([400, code])
    }
  })

  test('messages_after and messages_before together answer 400', async () => {
    const answer = await service.client.get('/d/0-9?messages_after=0&messages_before=9')
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('must not be combined with messages_before')
  })

  test('a missing directory answers 404, an invalid path 400', async () => {
    expect(await service.client.get('/d/none', accept)).toMatchObject({
      status: 404,
      code: 'directory_not_found',
    })
    expect(await service.client.get('/d/NONE', accept)).toMatchObject({
      status: 400,
      code: 'invalid_directory',
    })
    expect((await service.client.get('/d/none')).headers.get('content-type')).toContain('text/html')
  })
})
