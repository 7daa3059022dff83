import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  configurationProcessHanded: "此进程的配置由程序传入，没有配置文件。",
  changeWhereProgram: "请在生成配置的程序中修改。",
  setOnCommand: "{path} 由启动时的命令行设定，优先于配置文件。",
  startMargayWithout: "请在启动 margay 时不使用该参数。",
  configJsonEdited: "config.json 被手动修改且无法使用：{value}",
  runAndCorrect: "请运行 `margay config check` 并更正文件。在此之前沿用上一份有效配置。",
  nothingWasWritten: "未写入任何内容。请更正所列字段。",
};
