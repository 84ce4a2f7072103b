// A server of the page's files on this machine alone.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** Serves a folder; gives the address and what closes the server. */
export async function serve(folder) {
    const server = createServer(async (request, response) => {
        const path = normalize(new URL(request.url, 'http://localhost').pathname);
        try {
            const body = await readFile(join(folder, path === '/' ? 'index.html' : path));
            response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'text/html' });
            response.end(body);
        } catch {
            response.writeHead(404).end();
        }
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}
