/** Text as Slack writes it → as people see it: addresses as they are, no escapes. Pure. */

export interface Words {
  /** Our own id, and what we are called. */
  readonly us: string;
  readonly name: string;
}

const SIGNS: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

export function wordsOf(text: string, { us, name }: Words): string {
  return (
    text
      // `@margay /here` is the command.
      .replace(new RegExp(`^\\s*<@${us}(?:\\|[^>]*)?>\\s*(?=/)`), "")
      .replaceAll(/<([^<>]*)>/g, (whole, inside: string) => {
        const [what, label] = split(inside);
        if (what.startsWith("@")) return `@${what === `@${us}` ? name : what.slice(1)}`;
        if (what.startsWith("#")) return `#${label === undefined || label === "" ? what.slice(1) : label}`;
        if (what.startsWith("!")) return special(what, label);
        if (!/^[a-z][a-z0-9+.-]*:/i.test(what)) return whole;
        const isSame =
          label === undefined || what.replace(/^(?:https?:\/\/|mailto:|tel:)/, "") === label || what === label;
        return isSame ? what.replace(/^(?:mailto|tel):/, "") : `${label} (${what})`;
      })
      .replaceAll(/&(?:lt|gt|amp);/g, (sign) => SIGNS[sign] ?? sign)
  );
}

function split(inside: string): readonly [string, string | undefined] {
  const bar = inside.indexOf("|");
  return bar < 0 ? [inside, undefined] : [inside.slice(0, bar), inside.slice(bar + 1)];
}

/** `<!here>`, `<!subteam^S1|@team>`, `<!date^0^{date}|words>`. */
function special(what: string, label: string | undefined): string {
  if (label !== undefined && label !== "") return label;
  return `@${what.slice(1).replace(/^subteam\^/, "")}`;
}
