// The bundle's `Headers` for the AI SDK: the global one loads all of undici, 20 ms of every start, to join two strings.

/** What the SDK uses of `Headers`, with the same results. */
export class SmallHeaders {
  #values = new Map();

  constructor(init = {}) {
    const entries = Symbol.iterator in init ? init : Object.entries(init);
    for (const [name, value] of entries) this.append(name, value);
  }
  append(name, value) {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${normalize(value)}`);
  }
  set(name, value) {
    this.#values.set(keyOf(name), normalize(value));
  }
  get(name) {
    return this.#values.get(keyOf(name)) ?? null;
  }
  has(name) {
    return this.#values.has(keyOf(name));
  }
  delete(name) {
    this.#values.delete(keyOf(name));
  }
  forEach(visit) {
    for (const [name, value] of this) visit(value, name, this);
  }
  *entries() {
    yield* [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1));
  }
  *keys() {
    for (const [name] of this) yield name;
  }
  *values() {
    for (const [, value] of this) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
}

function keyOf(name) {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) throw new TypeError(`Invalid header name: ${JSON.stringify(name)}`);
  return String(name).toLowerCase();
}

function normalize(value) {
  const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
  if (/[\0\n\r]/.test(text)) throw new TypeError("Invalid header value");
  return text;
}

/** The same class; the global one is a getter that loads all streams of the web. */
const DECODER = 'const { TextDecoder } = process.getBuiltinModule("node:util");';

/** A bundler plugin: inside the SDK's packages the name `Headers` means the class above. */
export function withSmallHeaders() {
  return {
    name: "small-headers",
    transform: {
      filter: { id: /[\\/]node_modules[\\/]@ai-sdk[\\/].*\.m?js$/, code: /\bHeaders\b/ },
      handler: (code) => ({
        // No new line: source maps stay right.
        code: `import { SmallHeaders as Headers } from ${JSON.stringify(import.meta.filename)};${DECODER}${code}`,
        map: null,
      }),
    },
  };
}
