/** Texts around what the model wrote: code, tables, links, formulas, diagrams. */
import { texts, type Text } from "../texts/texts.ts";

const TEXTS = {
  "link.host": { en: "goes to {host}", zh: "指向 {host}" },
  "image.remote": { en: "Image from {host}", zh: "来自 {host} 的图片" },
  "code.copy": { en: "Copy", zh: "复制" },
  "code.copied": { en: "Copied", zh: "已复制" },
  "code.wrap": { en: "Wrap lines", zh: "自动换行" },
  "code.unfold": { en: "Show all {n} lines", zh: "显示全部 {n} 行" },
  "code.fold": { en: "Show less", zh: "收起" },
  "code.name": { en: "Code", zh: "代码" },
  "code.region": { en: "Code, {language}", zh: "代码，{language}" },
  "table.copy": { en: "Copy as CSV", zh: "复制为 CSV" },
  "table.region": { en: "Table", zh: "表格" },
  "footnote.name": { en: "Footnote {n}", zh: "脚注 {n}" },
  "footnote.open": { en: "Footnote {n}", zh: "脚注 {n}" },
  "footnote.back": { en: "Back to the mark of footnote {n}", zh: "返回脚注 {n} 的标记" },
  "math.failed": { en: "This formula can't be drawn", zh: "无法绘制此公式" },
  "diagram.drawing": { en: "Drawing the diagram…", zh: "正在绘制图表…" },
  "diagram.alt": { en: "Diagram", zh: "图表" },
  "diagram.source": { en: "Source", zh: "源码" },
  "diagram.picture": { en: "Picture", zh: "图形" },
  "diagram.failed": { en: "The diagram can't be drawn: {reason}", zh: "无法绘制图表：{reason}" },
  "diagram.large": { en: "it is larger than 50 kB", zh: "超过 50 kB" },
  "diagram.slow": { en: "it took longer than 5 seconds", zh: "耗时超过 5 秒" },
  "diagram.large-view": { en: "Show large", zh: "放大查看" },
  "diagram.zoom.in": { en: "Zoom in", zh: "放大" },
  "diagram.zoom.out": { en: "Zoom out", zh: "缩小" },
  "diagram.zoom.reset": { en: "{share} %: back to the original size", zh: "{share} %：恢复原始大小" },
  "diagram.download.png": { en: "Download PNG", zh: "下载 PNG" },
  "diagram.no-png": { en: "This browser can't draw the picture as PNG.", zh: "此浏览器无法生成 PNG。" },
  "diagram.download": { en: "Download SVG", zh: "下载 SVG" },
} as const satisfies Readonly<Record<string, Text>>;

export const t = texts<keyof typeof TEXTS>(TEXTS);
