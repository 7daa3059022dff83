/** Colors of the chat. Without color every meaning is still there in words and marks. */
import type { EditorTheme, MarkdownTheme, SelectListTheme } from "@earendil-works/pi-tui";

type Paint = (text: string) => string;
export interface Style {
  readonly dim: Paint;
  readonly bold: Paint;
  readonly accent: Paint;
  readonly good: Paint;
  readonly warn: Paint;
  readonly bad: Paint;
  readonly italic: Paint;
  /** A key that answers. */
  readonly key: Paint;
  readonly markdown: MarkdownTheme;
  readonly list: SelectListTheme;
  readonly editor: EditorTheme;
}

export function createStyle(color: boolean): Style {
  // Select Graphic Rendition, ECMA-48: the 16 colors follow the person's terminal theme.
  const paint = (on: number, off: number): Paint =>
    color ? (text) => `\x1b[${on}m${text}\x1b[${off}m` : (text) => text;
  const [bold, dim, italic] = [paint(1, 22), paint(2, 22), paint(3, 23)];
  const [accent, good, warn, bad] = [paint(36, 39), paint(32, 39), paint(33, 39), paint(31, 39)];
  const list: SelectListTheme = {
    selectedPrefix: accent,
    selectedText: accent,
    description: dim,
    scrollInfo: dim,
    noMatch: dim,
  };
  return {
    dim,
    bold,
    accent,
    good,
    warn,
    bad,
    italic,
    key: paint(7, 27),
    list,
    editor: { borderColor: dim, selectList: list },
    markdown: {
      heading: (text) => bold(accent(text)),
      link: paint(34, 39),
      linkUrl: dim,
      code: warn,
      codeBlock: (text) => text,
      codeBlockBorder: dim,
      quote: italic,
      quoteBorder: dim,
      hr: dim,
      listBullet: accent,
      bold,
      italic,
      strikethrough: paint(9, 29),
      underline: paint(4, 24),
    },
  };
}
