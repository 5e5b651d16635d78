package clients

// publicName is the name that the nginx of these tests is known by.
const publicName = "polaris.example"
