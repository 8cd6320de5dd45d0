// Opens every page of a folder in Chromium in several ways and says what is wrong: see __main__.py.
const fs = require("fs");
const path = require("path");
const [modules, folder, out] = process.argv.slice(2);
const { chromium } = require(path.join(modules, "playwright-core"));
const axe = fs.readFileSync(path.join(modules, "axe-core", "axe.min.js"), "utf8");

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const WAYS = {
  light: { colorScheme: "light", viewport: { width: 1100, height: 900 } },
  dark: { colorScheme: "dark", viewport: { width: 1100, height: 900 } },
  phone: { colorScheme: "light", viewport: { width: 375, height: 812 }, isMobile: true, hasTouch: true },
  "phone-dark": { colorScheme: "dark", viewport: { width: 375, height: 812 }, isMobile: true, hasTouch: true },
  print: { colorScheme: "light", viewport: { width: 794, height: 1123 } },
  "no-script": { colorScheme: "light", viewport: { width: 1100, height: 900 }, javaScriptEnabled: false },
};

async function look(browser, file, way) {
  const found = [];
  const context = await browser.newContext(WAYS[way]);
  const page = await context.newPage();
  page.on("console", (message) => found.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => found.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { found.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) found.push(`asks for ${request.url()}`);
  });
  if (way === "print") await page.emulateMedia({ media: "print" });
  await page.goto("file://" + file);
  await page.screenshot({ path: path.join(out, `${path.basename(file, ".html")}-${way}.png`), fullPage: true });
  if (way === "print") await page.pdf({ path: path.join(out, `${path.basename(file, ".html")}.pdf`), format: "A4" });
  if (way !== "no-script") {
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (beyond > 0 && way !== "print") found.push(`is wider than its window by ${beyond} pixels`);
  }
  if (way === "light" || way === "dark" || way === "phone") {
    await page.evaluate(axe);
    const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    for (const each of result.violations) {
      found.push(`axe: ${each.id} (${each.impact}): ${each.nodes.length} times, first ${each.nodes[0].html.slice(0, 160)}`);
    }
  }
  if (way === "light") {
    const wanted = await page.evaluate(() => document.querySelectorAll("a[href], [tabindex='0']").length);
    const reached = new Set();
    for (let step = 0; step < wanted; step++) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => {
        const all = [...document.querySelectorAll("*")];
        return all.indexOf(document.activeElement);
      }));
    }
    if (reached.size < wanted) found.push(`the keyboard reaches ${reached.size} of ${wanted} places`);
  }
  await context.close();
  return found;
}

(async () => {
  const executablePath = BROWSERS.find((each) => fs.existsSync(each));
  if (!executablePath) throw new Error("No Chromium was found: install it, as in `apt-get install chromium`.");
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  let wrong = 0;
  for (const name of fs.readdirSync(folder).filter((each) => each.endsWith(".html")).sort()) {
    for (const way of Object.keys(WAYS)) {
      const found = await look(browser, path.join(folder, name), way);
      wrong += found.length;
      for (const each of found) console.log(`${name}, ${way}: ${each}`);
    }
  }
  await browser.close();
  console.log(wrong ? `${wrong} things are wrong.` : `All pages are fine; pictures are in ${out}.`);
  process.exit(wrong ? 1 : 0);
})();
