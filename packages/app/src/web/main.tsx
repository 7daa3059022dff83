/** Entry of the page: styles, login, then the shell. */
import { render } from "preact";
import "./styles/tokens.css";
import "./styles/base.css";
import "./ui/ui.css";
import { watchAddress } from "./lib/route.ts";
import { watchTheme } from "./lib/look.ts";
import { App } from "./shell/app.tsx";
import { fetchTexts, language } from "./texts/texts.ts";

watchTheme();
watchAddress();
const show = (): void => {
  const place = document.querySelector("#app");
  if (place) render(<App />, place);
};
fetchTexts(language.value).then(show, show);
