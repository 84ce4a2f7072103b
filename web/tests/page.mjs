// The page in headless Chromium: files set and dropped, digests, progress, errors, speeds.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from './server.mjs';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
// The known answers are of inputs of bytes 0, 1, ..., 250, 0, 1, ...: those of the official test vectors.
const EMPTY = 'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262';
const BYTES_102400 = 'bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085';

const server = await serve(join(dirname(fileURLToPath(import.meta.url)), '..'));
const folder = await mkdtemp(join(tmpdir(), 'page-'));
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(server.address);
    await page.waitForFunction(() => document.getElementById('tier').textContent === 'simd128');

    // Which values the progress bar goes through.
    await page.evaluate(() => {
        window.seen = [];
        const bar = document.getElementById('progress');
        new MutationObserver(() => window.seen.push(bar.value)).observe(bar, { attributes: true });
    });
    const digest = async () => {
        await page.locator('#digest-line:visible').waitFor();
        return page.locator('#digest').textContent();
    };

    const pattern = (length) => Buffer.from(Uint8Array.from({ length }, (_, i) => i % 251));
    const small = join(folder, 'small');
    await writeFile(small, pattern(102400));
    await page.setInputFiles('#file', small);
    assert.equal(await digest(), BYTES_102400);
    assert.match(await page.locator('#name').textContent(), /^small$/);
    assert.match(await page.locator('#size').textContent(), /^\(100 KiB\)$/);
    await page.locator('#copy').click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), BYTES_102400);
    console.log('a file that was chosen: digest, and its copy');

    const empty = join(folder, 'empty');
    await writeFile(empty, '');
    await page.setInputFiles('#file', empty);
    await page.waitForFunction((wanted) => document.getElementById('digest').textContent === wanted, EMPTY);
    console.log('an empty file');

    // 20 MB in pieces of 1 MiB: the bar moves.
    const large = pattern(20_000_000);
    const file = join(folder, 'large');
    await writeFile(file, large);
    await page.evaluate(() => (window.seen = []));
    await page.setInputFiles('#file', file);
    await page.locator('#digest-line:visible').waitFor();
    const chosen = await digest();
    const seen = await page.evaluate(() => window.seen);
    const between = seen.filter((value) => value > 0 && value < 1);
    assert.ok(between.length >= 5, `progress was seen at ${seen}`);
    assert.deepEqual(seen.toSorted((a, b) => a - b), seen, 'progress never goes back');
    assert.equal(seen.at(-1), 1);
    console.log(`progress: ${between.length} values between the start and the end`);

    // The same bytes, dropped.
    const drop = (count) =>
        page.evaluate((count) => {
            const transfer = new DataTransfer();
            const bytes = Uint8Array.from({ length: 20_000_000 }, (_, i) => i % 251);
            for (let i = 0; i < count; i++) transfer.items.add(new File([bytes], `dropped ${i}`));
            const event = new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true });
            document.getElementById('drop').dispatchEvent(event);
        }, count);
    await drop(1);
    assert.equal(await digest(), chosen);
    assert.equal(await page.locator('#name').textContent(), 'dropped 0');
    console.log('a file that was dropped');

    await drop(2);
    assert.match(await page.locator('#error:visible').textContent(), /One file at a time/);
    // A file that is gone, or has changed, when it is read.
    await rm(file);
    await page.evaluate(() => document.getElementById('file').dispatchEvent(new Event('change')));
    await page.waitForFunction(() => /large cannot be hashed/.test(document.getElementById('error').textContent));
    console.log('errors are shown');

    if (process.argv.includes('--speed')) {
        await page.locator('#speed summary').click();
        await page.locator('#measure').click();
        await page.locator('#measure:enabled').waitFor({ timeout: 120_000 });
        for (const row of await page.locator('#speeds tr').all()) {
            console.log((await row.locator('td').allTextContents()).map((text) => text.padStart(12)).join(''));
        }
    }
    assert.deepEqual(errors, []);
} finally {
    await browser.close();
    server.close();
    await rm(folder, { recursive: true });
}
