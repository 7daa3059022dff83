/** Answers of `/trust files` in both languages. */
import type { EndorsedFile, LabelledFile } from "../contract/commands.ts";
import { code, listed, unmarked } from "./in-markdown.ts";

export interface TrustTexts {
  readonly labelledFiles: (files: readonly LabelledFile[], more: number) => string;
  readonly notShown: (paths: string) => string;
  readonly endorsedFiles: (files: readonly EndorsedFile[]) => string;
}

function fileLines(files: readonly LabelledFile[], asked: (path: string, origin: string) => string): readonly string[] {
  return files.map(({ path, cause, origin }) => {
    if (origin !== undefined) return asked(code(path), unmarked(origin));
    return cause === undefined ? code(path) : `${code(path)} (${unmarked(cause)})`;
  });
}

function statusLines(files: readonly EndorsedFile[], wanted: EndorsedFile["status"], head: string): readonly string[] {
  const found = files.filter(({ status }) => status === wanted);
  return found.length === 0
    ? []
    : listed(
        head,
        found.map(({ path }) => code(path)),
      );
}

export const TRUST_EN: TrustTexts = {
  labelledFiles: (files, more) =>
    files.length === 0
      ? "No file of the workspace counts as strangers' text."
      : [
          ...listed("These count as strangers' text:", [
            ...fileLines(files, (path, origin) => `${path} came from ${origin}. Yours, or a stranger's?`),
            ...(more > 0 ? [`and ${more} more, of which this says nothing: \`margay trust\` shows all`] : []),
          ]),
          "`/trust files all` or `/trust files PATH` makes what is shown yours. What a stranger has a hand in later counts anew.",
          ...(files.some(({ origin }) => origin !== undefined)
            ? ["`/trust files stranger PATH`: the repository is a stranger's, and that is not asked again."]
            : []),
        ].join("\n"),
  notShown: (paths) => `${paths} was not shown. /trust files shows what there is.`,
  endorsedFiles: (files) =>
    [
      ...statusLines(files, "endorsed", "Yours from now on:"),
      ...statusLines(files, "disowned", "A stranger's, as said:"),
      ...statusLines(files, "changed", "Changed since it was shown, so left as it is; /trust files shows it anew:"),
      ...statusLines(files, "unknown", "Not there any more:"),
    ].join("\n"),
};

export const TRUST_ZH: TrustTexts = {
  labelledFiles: (files, more) =>
    files.length === 0
      ? "工作区中没有被视为外来内容的文件。"
      : [
          ...listed("以下文件被视为外来内容：", [
            ...fileLines(files, (path, origin) => `${path} 来自 ${origin}。是您自己的，还是他人的？`),
            ...(more > 0 ? [`另有 ${more} 个未列出：\`margay trust\` 可显示全部`] : []),
          ]),
          "`/trust files all` 或 `/trust files 路径` 可将所示内容视为您自己的；此后再经外来内容改动的会重新判断。",
          ...(files.some(({ origin }) => origin !== undefined)
            ? ["`/trust files stranger 路径`：该仓库属于他人，不再询问。"]
            : []),
        ].join("\n"),
  notShown: (paths) => `尚未显示 ${paths}。/trust files 可查看现有文件。`,
  endorsedFiles: (files) =>
    [
      ...statusLines(files, "endorsed", "已视为您自己的："),
      ...statusLines(files, "disowned", "属于他人："),
      ...statusLines(files, "changed", "显示之后已改动，保持不变；请用 /trust files 重新查看："),
      ...statusLines(files, "unknown", "已不存在："),
    ].join("\n"),
};
