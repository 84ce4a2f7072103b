const element = (id) => document.getElementById(id);

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

function inWords(bytes) {
    let unit = 0;
    while (bytes >= 1024 && unit + 1 < UNITS.length) {
        bytes /= 1024;
        unit += 1;
    }
    return `${Number(bytes.toFixed(1))} ${UNITS[unit]}`;
}

function fail(message) {
    element('error').textContent = message;
    element('error').hidden = false;
    element('state').textContent = '';
}

/** A worker, which says what it computes by. */
function start() {
    const worker = new Worker('worker.js', { type: 'module' });
    worker.onerror = (event) => fail(event.message || 'The worker does not start: is this an old browser?');
    return worker;
}

// What is hashed last is shown: a worker that is still at another file is ended.
let worker;

function restart() {
    worker?.terminate();
    worker = start();
    worker.onmessage = ({ data }) => {
        if (data.tier) element('tier').textContent = data.tier;
    };
}

function hash(file) {
    restart();
    element('error').hidden = true;
    element('digest-line').hidden = true;
    element('result').hidden = false;
    element('name').textContent = file.name;
    element('size').textContent = `(${inWords(file.size)})`;
    element('progress').value = 0;
    element('state').textContent = 'Hashing…';
    const begin = performance.now();
    worker.onmessage = ({ data }) => {
        if (data.error) {
            fail(`${file.name} cannot be hashed: ${data.error}`);
        } else if (data.digest) {
            const seconds = (performance.now() - begin) / 1000;
            element('digest').textContent = data.digest;
            element('digest-line').hidden = false;
            element('state').textContent = `${seconds.toFixed(2)} s, ${inWords(file.size / seconds)}/s`;
        } else if (data.total !== undefined) {
            element('progress').value = data.total === 0 ? 1 : data.done / data.total;
        }
    };
    worker.postMessage({ file });
}

element('file').addEventListener('change', () => {
    const [file] = element('file').files;
    if (file) hash(file);
});

const drop = element('drop');
for (const type of ['dragenter', 'dragover']) {
    drop.addEventListener(type, (event) => {
        event.preventDefault();
        drop.classList.add('over');
    });
}
drop.addEventListener('dragleave', () => drop.classList.remove('over'));
drop.addEventListener('drop', (event) => {
    event.preventDefault();
    drop.classList.remove('over');
    const { files } = event.dataTransfer;
    if (files.length === 1) hash(files[0]);
    else fail('One file at a time, and no folder.');
});

element('copy').addEventListener('click', async () => {
    await navigator.clipboard.writeText(element('digest').textContent);
    element('copy').textContent = 'Copied';
    setTimeout(() => (element('copy').textContent = 'Copy'), 1500);
});

element('measure').addEventListener('click', () => {
    const measuring = start();
    element('measure').disabled = true;
    element('speeds').replaceChildren();
    element('speeds').closest('table').hidden = false;
    measuring.onmessage = ({ data }) => {
        if (data.speed) {
            const { size, first, second, ratio } = data.speed;
            const row = element('speeds').insertRow();
            const time = (nanoseconds) => `${(nanoseconds / 1000).toFixed(2)} µs`;
            for (const text of [inWords(size), time(first), time(second), ratio.toFixed(2)]) {
                row.insertCell().textContent = text;
            }
        } else if (data.measured || data.error) {
            if (data.error) fail(data.error);
            element('measure').disabled = false;
            measuring.terminate();
        }
    };
    measuring.postMessage({ measure: true });
});

restart();
