/** Formatters, each made once: making one takes a hundred times as long as using it, and each message on screen needs several. */

const numbers = new Map<string, Intl.NumberFormat>();
const moments = new Map<string, Intl.DateTimeFormat>();

export function numberFormat(tag: string, options?: Intl.NumberFormatOptions): Intl.NumberFormat {
  return kept(numbers, JSON.stringify([tag, options]), () => new Intl.NumberFormat(tag, options));
}

export function momentFormat(tag: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  // One that was made before a journey would go on with the clock of where it began.
  const key = JSON.stringify([tag, options, new Date().getTimezoneOffset()]);
  return kept(moments, key, () => new Intl.DateTimeFormat(tag, options));
}

function kept<Format>(all: Map<string, Format>, key: string, make: () => Format): Format {
  const format = all.get(key) ?? make();
  all.set(key, format);
  return format;
}
