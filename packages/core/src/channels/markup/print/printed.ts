/** A text as it is sent, and what of it is seen. */
export interface Printed {
  readonly text: string;
  readonly plain: string;
}

export function same(text: string): Printed {
  return { text, plain: text };
}

export function joined(parts: readonly Printed[], between: string): Printed {
  return {
    text: parts.map(({ text }) => text).join(between),
    plain: parts.map(({ plain }) => plain).join(between),
  };
}

export function wrapped(before: string, { text, plain }: Printed, after: string): Printed {
  return { text: before + text + after, plain };
}

/** Something in front of the first line and of those after it; an empty line gets no blanks. */
export function prefixed({ text, plain }: Printed, first: string, rest: string): Printed {
  const onLines = (lines: string): string =>
    lines
      .split("\n")
      .map((line, index) => {
        const prefix = index === 0 ? first : rest;
        return line === "" ? prefix.trimEnd() : prefix + line;
      })
      .join("\n");
  return { text: onLines(text), plain: onLines(plain) };
}
