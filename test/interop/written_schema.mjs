// written_schema.mjs - is the schema of a file the one of its cells?
import { nodeOf } from './written_shapes.mjs'

const groups = {
  list: { annotation: 'LIST', inner: 'list' },
  map: { annotation: 'MAP', inner: 'key_value' }
}

// The elements of a node, as hyparquet shows them.
function elements(node, name) {
  const repetition_type = node.required ? 'REQUIRED' : 'OPTIONAL'
  if (node.kind === 'leaf') {
    const t = node.type
    return [{ name, repetition_type, type: t.physical, type_length: t.length,
      converted_type: t.converted, logical_type: t.logical,
      scale: t.logical?.scale, precision: t.logical?.precision }]
  }
  const below = node.children.flatMap(([n, c]) => elements(c, n))
  if (node.kind === 'struct') {
    return [{ name, repetition_type, num_children: node.children.length }, ...below]
  }
  const { annotation, inner } = groups[node.kind]
  return [
    { name, repetition_type, num_children: 1, converted_type: annotation,
      logical_type: { type: annotation } },
    { name: inner, repetition_type: 'REPEATED', num_children: node.children.length },
    ...below]
}

const plain = e => JSON.stringify(Object.entries(e)
  .filter(([k, v]) => v !== undefined && k !== 'field_id').sort()
  .map(([k, v]) => [k, typeof v === 'object'
    ? Object.entries(v).filter(f => f[1] !== undefined).sort() : v]))

export function checkSchema(metadata, cells, expect) {
  const want = cells.flatMap((c, i) => elements(nodeOf(c), `c${i}`))
  const found = metadata.schema.slice(1)
  expect(found.length === want.length, 'elements of the schema', found.length)
  want.forEach((w, i) => expect(found[i] && plain(w) === plain(found[i]),
    'schema:', found[i] ? plain(found[i]) : 'nothing', 'not', plain(w)))
}
