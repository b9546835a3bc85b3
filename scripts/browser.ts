// A Chromium: the one from npm where it runs, elsewhere the Chrome that is installed. `CHROMIUM_PATH` names another.
import chromium from '@sparticuz/chromium';
import { type Browser, type LaunchOptions, chromium as playwright } from 'playwright-core';

async function howToLaunch(): Promise<LaunchOptions> {
  const { CHROMIUM_PATH: executablePath } = process.env;
  if (executablePath) return { executablePath };
  if (process.platform !== 'linux' || process.arch !== 'x64') return { channel: 'chrome' };
  return {
    executablePath: await chromium.executablePath(),
    // With one process the browser ends with its first context.
    args: chromium.args.filter((flag) => flag !== '--single-process'),
  };
}

export const launchBrowser = async (): Promise<Browser> => playwright.launch(await howToLaunch());
