/** What of a message of Slack is seen, apart from its marks; throws where it opens a mention, a link to nowhere, or is not escaped. */
export function readMrkdwn(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/^(?:> ?)+/, (quotes) => quotes.replaceAll(">", "&gt;")))
    .join("\n")
    .replaceAll(/<([^<>]*)>/g, (_, inside: string) => {
      const [address = "", label = address, ...more] = inside.split("|");
      if (!/^(?:https?:|mailto:)/i.test(address) || more.length > 0) throw new Error(`<${inside}> is no link`);
      return label;
    })
    .replaceAll(/[<>]|&(?!(?:amp|lt|gt);)/g, (sign) => {
      throw new Error(`a bare ${sign}`);
    })
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** Without what is a mark, the sign of a quote, a sign that nobody sees, or a blank. */
export function withoutMarks(text: string): string {
  return text.replaceAll(/[*_~`>\u200b\s]/g, "");
}
