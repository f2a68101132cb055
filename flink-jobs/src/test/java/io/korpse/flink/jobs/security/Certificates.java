package io.korpse.flink.jobs.security;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A key and its certificate, made by the JDK's keytool. */
final class Certificates {

  static final String ALIAS = "korpse";

  private final Path keyStore;
  private final String password;

  private Certificates(Path keyStore, String password) {
    this.keyStore = keyStore;
    this.password = password;
  }

  /**
   * Makes one for this machine's loopback address that has signed itself.
   *
   * @param name common name and file name
   * @param options of keytool, such as the time in which it is valid
   */
  static Certificates make(Path directory, String name, String password, String... options)
      throws Exception {
    Certificates made = new Certificates(directory.resolve(name + ".p12"), password);
    List<String> arguments =
        new ArrayList<>(List.of("-genkeypair", "-keyalg", "EC", "-dname", "CN=" + name));
    arguments.addAll(List.of("-ext", "SAN=dns:localhost,ip:127.0.0.1", "-storetype", "PKCS12"));
    arguments.addAll(List.of(options));
    made.keytool(ALIAS, arguments);
    return made;
  }

  /**
   * Makes one that another has signed: whoever trusts that one checks also when this is valid.
   *
   * @param validity keytool's options for the time in which it is valid
   */
  static Certificates make(Path directory, String name, Certificates authority, String... validity)
      throws Exception {
    Certificates made = make(directory, name, authority.password, "-validity", "30");
    String request = directory.resolve(name + ".csr").toString();
    String signed = directory.resolve(name + ".crt").toString();
    made.keytool(ALIAS, List.of("-certreq", "-file", request));
    List<String> sign =
        new ArrayList<>(List.of("-gencert", "-rfc", "-infile", request, "-outfile", signed));
    sign.addAll(List.of("-ext", "SAN=dns:localhost,ip:127.0.0.1"));
    sign.addAll(List.of(validity));
    authority.keytool(ALIAS, sign);
    String root = authority.certificateFile().toString();
    made.keytool("authority", List.of("-importcert", "-noprompt", "-file", root));
    made.keytool(ALIAS, List.of("-importcert", "-noprompt", "-file", signed));
    return made;
  }

  private void keytool(String alias, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(arguments);
    command.addAll(List.of("-alias", alias, "-keystore", keyStore.toString()));
    command.addAll(List.of("-storepass", password));
    Path log = keyStore.resolveSibling(keyStore.getFileName() + ".log");
    Process keytool =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).as(Files.readString(log)).isZero();
  }

  /** The PKCS12 file with key and certificate. */
  Path keyStore() {
    return keyStore;
  }

  /** The certificate as PEM. */
  String certificate() throws Exception {
    Certificate certificate = load().getCertificate(ALIAS);
    return pem("CERTIFICATE", certificate.getEncoded());
  }

  /** The private key as PEM. */
  String privateKey() throws Exception {
    Key key = load().getKey(ALIAS, password.toCharArray());
    return pem("PRIVATE KEY", key.getEncoded());
  }

  /** The certificate in a PEM file beside the key store. */
  Path certificateFile() throws Exception {
    return Files.writeString(
        keyStore.resolveSibling(keyStore.getFileName() + ".pem"), certificate());
  }

  private KeyStore load() throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(keyStore)) {
      store.load(in, password.toCharArray());
    }
    return store;
  }

  private static String pem(String what, byte[] der) {
    String text = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(der);
    return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
  }
}
