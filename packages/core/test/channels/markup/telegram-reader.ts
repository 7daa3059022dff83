/** What of a message of Telegram is seen; throws where its parser would refuse, or show something else. */
export function readTelegram(text: string): string {
  const open: string[] = [];
  let seen = "";
  for (let at = 0; at < text.length;) {
    const char = text.charAt(at);
    if (char === "<") {
      const end = text.indexOf(">", at);
      if (end < 0) throw new Error(`a tag without an end at ${at}`);
      tag(text.slice(at + 1, end), open);
      at = end + 1;
    } else if (char === "&") {
      const entity = /^&(amp|lt|gt|quot);/.exec(text.slice(at, at + 6));
      if (entity === null) throw new Error(`a bare & at ${at}`);
      seen += { amp: "&", lt: "<", gt: ">", quot: '"' }[entity[1] ?? ""] ?? "";
      at += entity[0].length;
    } else if (char === ">") throw new Error(`a bare > at ${at}`);
    else {
      seen += char;
      at++;
    }
  }
  if (open.length > 0) throw new Error(`never closed: ${open.join()}`);
  return seen;
}

function tag(inside: string, open: string[]): void {
  if (inside.startsWith("/")) {
    const last = open.pop();
    if (last !== inside.slice(1)) throw new Error(`</${last}> was expected, </${inside.slice(1)}> came`);
    return;
  }
  const name = /^[a-z]+/.exec(inside)?.[0] ?? "";
  const attributes = inside.slice(name.length);
  const isCodeInPre = name === "code" && open.at(-1) === "pre";
  const allowed: Record<string, RegExp> = {
    b: /^$/,
    i: /^$/,
    s: /^$/,
    pre: /^$/,
    blockquote: /^$/,
    code: isCodeInPre ? /^ class="language-[\w+#.-]+"$/ : /^$/,
    a: /^ href="(https?:|mailto:)[^"<>]*"$/,
  };
  if (allowed[name]?.test(attributes) !== true) throw new Error(`<${inside}> is not known`);
  if (open.includes(name)) throw new Error(`<${name}> in itself`);
  if (open.some((one) => one === "code" || one === "a" || (one === "pre" && !isCodeInPre)))
    throw new Error(`<${name}> in ${open.join()}`);
  const isBlock = name === "pre" || name === "blockquote";
  if ((isBlock || (name === "code" && !isCodeInPre)) && open.some((one) => one !== "blockquote"))
    throw new Error(`<${name}> in ${open.join()}`);
  open.push(name);
}

/** Tags of HTML that close in the order in which they opened. */
export function checkHtml(text: string): void {
  const open: string[] = [];
  for (const [, slash, name = "", attributes = ""] of text.matchAll(/<(\/?)([a-z0-9]*)([^>]*)>/g)) {
    if (!/^(?:p|h[1-6]|pre|code|hr|br|blockquote|ul|ol|li|table|thead|tbody|tr|th|td|strong|em|s|a)$/.test(name))
      throw new Error(`<${name}> is not known`);
    if (!/^(?: (?:href|rel|class|style|start)="[^"<>]*")*$/.test(attributes)) throw new Error(`<${name}${attributes}>`);
    if (slash !== "") {
      if (open.pop() !== name) throw new Error(`</${name}> closes nothing`);
    } else if (name !== "hr" && name !== "br") open.push(name);
  }
  if (open.length > 0) throw new Error(`never closed: ${open.join()}`);
  if (/<(?![/a-z])|&(?!(?:amp|lt|gt|quot);)/.test(text)) throw new Error("something is not escaped");
}
