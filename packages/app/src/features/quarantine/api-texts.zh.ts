import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  somethingElseAt: "{path} 处现已有其他内容，因此未做任何改动。",
  moveAwayThen: "请先将其移开，再取回。",
  whatShownSo: "内容与之前显示的不一致，因此未做任何改动。",
  lookAtAgain: "请重新查看。",
  nothingKeptAside: "没有编号为 {id} 的内容，可能已取回或已删除。",
  listWhat: "请查看现有内容。",
};
